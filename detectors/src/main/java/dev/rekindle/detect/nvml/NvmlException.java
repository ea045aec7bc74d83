package dev.rekindle.detect.nvml;

import java.io.IOException;

/** A call that ended the use of the library for now. */
final class NvmlException extends IOException {
  private static final long serialVersionUID = 1L;
  private final int code;

  NvmlException(String call, int code) {
    super(call + " answered " + NvmlReturn.word(code) + " (" + code + ")");
    this.code = code;
  }

  int code() {
    return code;
  }
}
