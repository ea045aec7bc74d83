package dev.rekindle.detect.python;

import java.util.List;
import java.util.Optional;

/**
 * Where CPython keeps what is read of it, in bytes; for x86-64 and arm64 alike. Each is {@code
 * offsetof} of the headers of that version, which changes none of it within a minor version.
 * Versions without a layout here are not read.
 *
 * @param version {@code PY_VERSION_HEX} without its lower half: 0x030b for 3.11
 * @param threads the way from {@code _PyRuntime} to a frame
 * @param frames in {@code _PyInterpreterFrame}
 * @param firstLine number of the first line, in {@code PyCodeObject}
 * @param instructions the first instruction, in {@code PyCodeObject}
 * @param ascii where the letters of a text of ASCII begin
 * @param compact where the letters of another text begin
 */
record PythonLayout(
    int version,
    Threads threads,
    Frames frames,
    int firstLine,
    int instructions,
    int ascii,
    int compact) {
  /** CPython 3.11, from the headers of 3.11.7. */
  static final PythonLayout V3_11 =
      new PythonLayout(
          0x030b, new Threads(40, 16, 8, 160, 56, 8), new Frames(32, 48, 56, 69), 72, 184, 48, 72);

  /** CPython 3.12, from the headers of 3.12.1. */
  static final PythonLayout V3_12 =
      new PythonLayout(
          0x030c, new Threads(40, 72, 8, 144, 56, 0), new Frames(0, 8, 56, 70), 68, 192, 40, 56);

  /** CPython 3.13 with the GIL, from the headers of 3.13.0. */
  static final PythonLayout V3_13 =
      new PythonLayout(
          0x030d,
          new Threads(632, 7344, 8, 160, 72, -1),
          new Frames(0, 8, 56, 70),
          68,
          200,
          40,
          56);

  /** In {@code PyCodeObject}, the same in all versions. */
  static final int CODE_FILE = 112;

  static final int CODE_QUALIFIED_NAME = 128;
  static final int CODE_LINES = 136;

  /** {@code ob_type} of any object. */
  static final int TYPE = 8;

  /** In {@code PyASCIIObject}. */
  static final int TEXT_LENGTH = 16;

  static final int TEXT_STATE = 32;

  /** In {@code PyBytesObject}. */
  static final int BYTES_LENGTH = 16;

  static final int BYTES_VALUE = 32;

  private static final List<PythonLayout> ALL = List.of(V3_11, V3_12, V3_13);

  /**
   * The way from {@code _PyRuntime} to a frame.
   *
   * @param interpreter first interpreter, in the runtime
   * @param thread first thread, in an interpreter
   * @param next next thread, in a thread
   * @param nativeId the kernel's number of a thread, in a thread
   * @param frame innermost frame, or the C frame that has it, in a thread
   * @param inner innermost frame, in a C frame; -1 where the thread has it itself
   */
  record Threads(int interpreter, int thread, int next, int nativeId, int frame, int inner) {}

  /**
   * In {@code _PyInterpreterFrame}.
   *
   * @param code its code
   * @param previous the frame that called it
   * @param instruction address of the instruction
   * @param owner what the frame belongs to, one byte
   */
  record Frames(int code, int previous, int instruction, int owner) {}

  /**
   * The layout of a version.
   *
   * @param hexVersion {@code PY_VERSION_HEX}: 0x030b07f0 for 3.11.7
   */
  static Optional<PythonLayout> of(int hexVersion) {
    return ALL.stream().filter(layout -> layout.version == hexVersion >>> 16).findFirst();
  }
}
