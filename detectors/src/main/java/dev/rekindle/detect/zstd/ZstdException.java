package dev.rekindle.detect.zstd;

import java.io.IOException;
import java.io.Serial;

/** Bytes are no Zstandard that can be read; the message says why, in one clause. */
public final class ZstdException extends IOException {
  @Serial private static final long serialVersionUID = 1L;

  /** One clause. */
  public ZstdException(String why) {
    super(why);
  }
}
