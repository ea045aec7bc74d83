package dev.rekindle.detect.python;

import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.Frame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Walks from {@code _PyRuntime} of CPython to the frames of its main thread.
 *
 * <p>The process goes on meanwhile, so each object is checked for its type before it is followed,
 * and what cannot be followed ends the stack there. Chains end after so many links, whatever the
 * memory holds.
 */
final class PythonThread {
  private static final int MOST_THREADS = 4096;

  /** Frames that are walked, those of C code among them. */
  private static final int MOST_LINKS = 64;

  /** A file's path, and a name with all classes and functions around it. */
  private static final int MOST_LETTERS = 512;

  private static final int MOST_LINE_TABLE = 64 << 10;
  private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]");
  private static final byte OWNED_BY_C = 3;

  private final ProcessMemory memory;
  private final PythonLayout layout;
  private final long codeType;
  private final long textType;

  private PythonThread(ProcessMemory memory, PythonLayout layout, long codeType, long textType) {
    this.memory = memory;
    this.layout = layout;
    this.codeType = codeType;
    this.textType = textType;
  }

  /**
   * The frames of the main thread, innermost first.
   *
   * @param mainThread its number, as the process itself sees it
   * @return empty where that is no CPython of a version that is read, or it runs no Python code
   * @throws IOException where memory that is needed cannot be read
   */
  static List<Frame> frames(ProcessMemory memory, ElfSymbols symbols, long mainThread)
      throws IOException {
    var version = symbols.address("Py_Version");
    var runtime = symbols.address("_PyRuntime");
    var code = symbols.address("PyCode_Type");
    var text = symbols.address("PyUnicode_Type");
    if (version.isEmpty() || runtime.isEmpty() || code.isEmpty() || text.isEmpty()) {
      return List.of();
    }
    var layout = PythonLayout.of(memory.word(version.getAsLong()));
    return layout.isEmpty()
        ? List.of()
        : new PythonThread(memory, layout.get(), code.getAsLong(), text.getAsLong())
            .of(runtime.getAsLong(), mainThread);
  }

  private List<Frame> of(long runtime, long mainThread) throws IOException {
    var at = layout.threads();
    long interpreter = memory.pointer(runtime + at.interpreter());
    long thread = memory.pointer(interpreter + at.thread());
    // New threads are put first: where none has that number the main one is the last.
    for (int i = 0; i < MOST_THREADS; i++) {
      long next = memory.pointer(thread + at.next());
      if (next == 0 || memory.pointer(thread + at.nativeId()) == mainThread) {
        break;
      }
      thread = next;
    }
    long frame = memory.pointer(thread + at.frame());
    if (at.inner() >= 0 && frame != 0) {
      frame = memory.pointer(frame + at.inner());
    }
    return walk(frame);
  }

  private List<Frame> walk(long innermost) throws IOException {
    List<Frame> frames = new ArrayList<>();
    long frame = innermost;
    for (int i = 0; i < MOST_LINKS && frame != 0 && frames.size() < RankEvidence.MOST_FRAMES; i++) {
      if (memory.read(frame + layout.frames().owner(), 1)[0] != OWNED_BY_C) {
        var found = frame(frame);
        if (found.isEmpty()) {
          break;
        }
        frames.add(found.get());
      }
      frame = memory.pointer(frame + layout.frames().previous());
    }
    return frames;
  }

  private Optional<Frame> frame(long frame) throws IOException {
    long code = memory.pointer(frame + layout.frames().code());
    if (code == 0 || memory.pointer(code + PythonLayout.TYPE) != codeType) {
      return Optional.empty();
    }
    long offset =
        memory.pointer(frame + layout.frames().instruction()) - (code + layout.instructions());
    var name = text(memory.pointer(code + PythonLayout.CODE_QUALIFIED_NAME));
    var file = text(memory.pointer(code + PythonLayout.CODE_FILE));
    return name.isEmpty()
        ? Optional.empty()
        : Optional.of(new Frame(name.get(), ShortPath.of(file.orElse("")), line(code, offset)));
  }

  private int line(long code, long offset) throws IOException {
    long table = memory.pointer(code + PythonLayout.CODE_LINES);
    long length = memory.pointer(table + PythonLayout.BYTES_LENGTH);
    if (length < 0 || length > MOST_LINE_TABLE) {
      return 0;
    }
    byte[] bytes = memory.read(table + PythonLayout.BYTES_VALUE, (int) length);
    return LineTable.line(bytes, memory.word(code + layout.firstLine()), offset);
  }

  private Optional<String> text(long text) throws IOException {
    if (text == 0 || memory.pointer(text + PythonLayout.TYPE) != textType) {
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
