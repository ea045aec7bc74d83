package dev.rekindle.detect.python;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;

/** Texts of CPython, {@code PyUnicodeObject}, as one line for people. */
final class PythonText {
  /** A file's path, and a name with all classes and functions around it. */
  private static final int MOST_LETTERS = 512;

  private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]");

  private final ProcessMemory memory;
  private final PythonLayout layout;
  private final long type;

  PythonText(ProcessMemory memory, PythonLayout layout, long type) {
    this.memory = memory;
    this.layout = layout;
    this.type = type;
  }

  /**
   * The text that is there.
   *
   * @return empty where that is no text
   * @throws IOException where it cannot be read
   */
  Optional<String> at(long text) throws IOException {
    if (text == 0 || memory.pointer(text + PythonLayout.TYPE) != type) {
      return Optional.empty();
    }
    // unsigned interned : 2, kind : 3, compact : 1, ascii : 1
    int state = memory.word(text + PythonLayout.TEXT_STATE);
    int width = state >> 2 & 7;
    boolean ascii = (state >> 6 & 1) != 0;
    long length = memory.pointer(text + PythonLayout.TEXT_LENGTH);
    boolean compact = (state >> 5 & 1) != 0;
    if (!compact || length < 0 || (width != 1 && width != 2 && width != 4)) {
      return Optional.empty();
    }
    // Of a long path the end says more.
    long skipped = Math.max(0, length - MOST_LETTERS);
    int bytes = (int) (length - skipped) * width;
    long letters = text + (ascii ? layout.ascii() : layout.compact()) + skipped * width;
    var decoded = decoded(memory.words(letters, bytes), width);
    return Optional.of(CONTROL.matcher(decoded).replaceAll("?"));
  }

  private static String decoded(ByteBuffer bytes, int width) {
    return switch (width) {
      case 1 -> StandardCharsets.ISO_8859_1.decode(bytes).toString();
      case 2 -> StandardCharsets.UTF_16LE.decode(bytes).toString();
      default -> {
        var letters = new StringBuilder();
        while (bytes.remaining() >= Integer.BYTES) {
          int point = bytes.getInt();
          letters.appendCodePoint(Character.isValidCodePoint(point) ? point : '\ufffd');
        }
        yield letters.toString();
      }
    };
  }
}
