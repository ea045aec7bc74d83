package dev.rekindle.detect.python;

import java.util.regex.Pattern;

/** A source file as a person would open it: inside its package, or its name. */
final class ShortPath {
  /** Where packages are; PyTorch is also put into folders of other names. */
  private static final Pattern PACKAGES =
      Pattern.compile(
          ".*/(?:(?:site|dist)-packages/|lib(?:64)?/python3\\.\\d+t?/|(?=(?:torch|deepspeed)/))");

  private ShortPath() {}

  /**
   * {@code torch/distributed/distributed_c10d.py}; {@code multiprocessing/queues.py} of the
   * standard library; {@code train.py} of a script.
   */
  static String of(String path) {
    var inside = PACKAGES.matcher(path).replaceFirst("");
    return inside.equals(path) ? path.substring(path.lastIndexOf('/') + 1) : inside;
  }
}
