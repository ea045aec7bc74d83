package dev.rekindle.detect.python;

import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.Frame;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Walks from {@code _PyRuntime} of CPython to the frames of its main thread.
 *
 * <p>The process continues meanwhile, so each object is checked for its type before it is followed,
 * and what cannot be followed ends the stack there. Chains end after so many links, whatever the
 * memory holds.
 */
final class PythonThread {
  private static final int MOST_THREADS = 4096;

  /** Frames that are walked, those of C code among them: a compiler's are 60 to 120 deep. */
  private static final int MOST_LINKS = 256;

  private static final int MOST_LINE_TABLE = 64 << 10;

  /** The least owner of a frame that is no function: the interpreter's, or C code's. */
  private static final byte OWNED_BY_C = 3;

  /** The lower bits of a reference to code say how it is counted, from 3.14 on. */
  private static final long ADDRESS = ~3L;

  private static final int BYTES_OF_INSTRUCTION = 2;

  private final ProcessMemory memory;
  private final PythonLayout layout;
  private final long codeType;
  private final PythonText texts;
  private final long frameType;

  private PythonThread(
      ProcessMemory memory, PythonLayout layout, long codeType, PythonText texts, long frameType) {
    this.memory = memory;
    this.layout = layout;
    this.codeType = codeType;
    this.texts = texts;
    this.frameType = frameType;
  }

  /**
   * Where the main thread is.
   *
   * @param mainThread its number, as the process itself sees it
   * @return without frames where that is no CPython of a version that is read, or it runs no Python
   *     code
   * @throws IOException where memory that is needed cannot be read
   */
  static MainStack read(ProcessMemory memory, ElfSymbols symbols, long mainThread)
      throws IOException {
    var layout = layout(memory, symbols);
    var runtime = symbols.address("_PyRuntime");
    var code = symbols.address("PyCode_Type");
    var text = symbols.address("PyUnicode_Type");
    if (layout.isEmpty() || runtime.isEmpty() || code.isEmpty() || text.isEmpty()) {
      return MainStack.UNKNOWN;
    }
    long frame = layout.get().frames().objects() ? symbols.address("PyFrame_Type").orElse(0) : 0;
    return new PythonThread(
            memory,
            layout.get(),
            code.getAsLong(),
            new PythonText(memory, layout.get(), text.getAsLong()),
            frame)
        .of(runtime.getAsLong(), mainThread);
  }

  /** By {@code Py_Version}, which is there from 3.11 on; 3.10 by a function that 3.9 has not. */
  private static Optional<PythonLayout> layout(ProcessMemory memory, ElfSymbols symbols)
      throws IOException {
    var version = symbols.address("Py_Version");
    if (version.isPresent()) {
      return PythonLayout.of(memory.word(version.getAsLong()));
    }
    return symbols.address("PyIter_Send").isPresent()
        ? Optional.of(PythonLayout.V3_10)
        : Optional.empty();
  }

  private MainStack of(long runtime, long mainThread) throws IOException {
    var at = layout.threads();
    long interpreter = memory.pointer(runtime + at.interpreter());
    long thread = memory.pointer(interpreter + at.thread());
    long wanted = at.main() < 0 ? mainThread : memory.pointer(runtime + at.main());
    // New threads are put first: where none has that number the main one is the last.
    for (int i = 0; i < MOST_THREADS; i++) {
      long next = memory.pointer(thread + at.next());
      if (next == 0 || memory.pointer(thread + at.number()) == wanted) {
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

  private MainStack walk(long innermost) throws IOException {
    List<Frame> frames = new ArrayList<>();
    long frame = innermost;
    int links = 0;
    for (; links < MOST_LINKS && frame != 0 && frames.size() < RankEvidence.MOST_FRAMES; links++) {
      if (isFunction(frame)) {
        var found = frame(frame, true);
        if (found.isEmpty()) {
          return new MainStack(frames, compiles(frames));
        }
        frames.add(found.get());
      }
      frame = memory.pointer(frame + layout.frames().previous());
    }
    return new MainStack(frames, compiles(frames) || compilesBelow(frame, MOST_LINKS - links));
  }

  private static boolean compiles(List<Frame> frames) {
    return frames.stream().anyMatch(CompilerFrame::is);
  }

  /** Outer frames, of which nothing is kept: where they cannot be read, the inner ones count. */
  private boolean compilesBelow(long outer, int most) {
    try {
      long frame = outer;
      for (int i = 0; i < most && frame != 0; i++) {
        if (isFunction(frame)) {
          var found = frame(frame, false);
          if (found.isEmpty() || CompilerFrame.is(found.get())) {
            return found.isPresent();
          }
        }
        frame = memory.pointer(frame + layout.frames().previous());
      }
    } catch (IOException moved) {
      // It has moved on meanwhile.
    }
    return false;
  }

  private boolean isFunction(long frame) throws IOException {
    return layout.frames().objects()
        || memory.read(frame + layout.frames().owner(), 1)[0] < OWNED_BY_C;
  }

  private Optional<Frame> frame(long frame, boolean withLine) throws IOException {
    if (layout.frames().objects() && memory.pointer(frame + PythonLayout.TYPE) != frameType) {
      return Optional.empty();
    }
    long code = memory.pointer(frame + layout.frames().code()) & ADDRESS;
    if (code == 0 || memory.pointer(code + PythonLayout.TYPE) != codeType) {
      return Optional.empty();
    }
    var name = texts.at(memory.pointer(code + layout.code().name()));
    var file = texts.at(memory.pointer(code + layout.code().file()));
    return name.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Frame(
                name.get(),
                ShortPath.of(file.orElse("")),
                withLine ? line(code, offset(frame, code)) : 0));
  }

  /** Bytes from the first instruction of the code. */
  private long offset(long frame, long code) throws IOException {
    long at = frame + layout.frames().instruction();
    return layout.frames().objects()
        ? (long) BYTES_OF_INSTRUCTION * memory.word(at)
        : memory.pointer(at) - (code + layout.code().instructions());
  }

  private int line(long code, long offset) throws IOException {
    long table = memory.pointer(code + layout.code().lines());
    long length = memory.pointer(table + PythonLayout.BYTES_LENGTH);
    if (length < 0 || length > MOST_LINE_TABLE) {
      return 0;
    }
    byte[] bytes = memory.read(table + PythonLayout.BYTES_VALUE, (int) length);
    int firstLine = memory.word(code + layout.code().firstLine());
    return layout.frames().objects()
        ? LineTable.lineOfPairs(bytes, firstLine, offset)
        : LineTable.line(bytes, firstLine, offset);
  }
}
