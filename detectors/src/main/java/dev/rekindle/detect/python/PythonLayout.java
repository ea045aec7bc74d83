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
 * @param frames in {@code _PyInterpreterFrame}; in {@code PyFrameObject} before 3.11
 * @param code in {@code PyCodeObject}
 * @param ascii where the letters of a text of ASCII begin
 * @param compact where the letters of another text begin
 */
record PythonLayout(
    int version, Threads threads, Frames frames, Code code, int ascii, int compact) {
  /** CPython 3.10, from the headers of 3.10.13. */
  static final PythonLayout V3_10 =
      new PythonLayout(
          0x030a,
          new Threads(32, 8, 8, 176, 24, -1, 72),
          new Frames(32, 24, 96, -1),
          new Code(104, 112, 120, 40, -1),
          48,
          72);

  /** CPython 3.11, from the headers of 3.11.7. */
  static final PythonLayout V3_11 =
      new PythonLayout(
          0x030b,
          new Threads(40, 16, 8, 160, 56, 8, -1),
          new Frames(32, 48, 56, 69),
          new Code(112, 128, 136, 72, 184),
          48,
          72);

  /** CPython 3.12, from the headers of 3.12.1. */
  static final PythonLayout V3_12 =
      new PythonLayout(
          0x030c,
          new Threads(40, 72, 8, 144, 56, 0, -1),
          new Frames(0, 8, 56, 70),
          new Code(112, 128, 136, 68, 192),
          40,
          56);

  /** CPython 3.13 with the GIL, from the headers of 3.13.0. */
  static final PythonLayout V3_13 =
      new PythonLayout(
          0x030d,
          new Threads(632, 7344, 8, 160, 72, -1, -1),
          new Frames(0, 8, 56, 70),
          new Code(112, 128, 136, 68, 200),
          40,
          56);

  /** CPython 3.14 with the GIL, from the headers of 3.14.3. */
  static final PythonLayout V3_14 =
      new PythonLayout(
          0x030e,
          new Threads(808, 7344, 8, 160, 72, -1, -1),
          new Frames(0, 8, 56, 74),
          new Code(112, 128, 136, 68, 208),
          40,
          56);

  /** {@code ob_type} of any object. */
  static final int TYPE = 8;

  /** In {@code PyASCIIObject}. */
  static final int TEXT_LENGTH = 16;

  static final int TEXT_STATE = 32;

  /** In {@code PyBytesObject}. */
  static final int BYTES_LENGTH = 16;

  static final int BYTES_VALUE = 32;

  private static final List<PythonLayout> ALL = List.of(V3_10, V3_11, V3_12, V3_13, V3_14);

  /**
   * The way from {@code _PyRuntime} to a frame.
   *
   * @param interpreter first interpreter, in the runtime
   * @param thread first thread, in an interpreter
   * @param next next thread, in a thread
   * @param number of a thread, in a thread: the kernel's, or that of its threads library where
   *     {@code main} is there
   * @param frame innermost frame, or the C frame that has it, in a thread
   * @param inner innermost frame, in a C frame; -1 where the thread has it itself
   * @param main number of the main thread, in the runtime; -1 where that is the kernel's
   */
  record Threads(
      int interpreter, int thread, int next, int number, int frame, int inner, int main) {}

  /**
   * In a frame.
   *
   * @param code its code
   * @param previous the frame that called it
   * @param instruction address of the instruction; its index where frames are objects
   * @param owner what the frame belongs to, one byte; -1 where frames are objects
   */
  record Frames(int code, int previous, int instruction, int owner) {
    /** Whether each frame is an object, as before 3.11. */
    boolean objects() {
      return owner < 0;
    }
  }

  /**
   * In the code of a function.
   *
   * @param file name of its file
   * @param name its qualified name; its plain one before 3.11
   * @param lines the table of lines
   * @param firstLine number of the first line
   * @param instructions the first instruction; -1 where they are elsewhere
   */
  record Code(int file, int name, int lines, int firstLine, int instructions) {}

  /**
   * The layout of a version.
   *
   * @param hexVersion {@code PY_VERSION_HEX}: 0x030b07f0 for 3.11.7
   */
  static Optional<PythonLayout> of(int hexVersion) {
    return ALL.stream().filter(layout -> layout.version == hexVersion >>> 16).findFirst();
  }
}
