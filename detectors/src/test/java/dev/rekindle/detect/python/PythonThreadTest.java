package dev.rekindle.detect.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.api.RankEvidence.Frame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Recorded memory of real processes of {@code python-stacks/stands.py}. */
class PythonThreadTest {
  private static final List<Frame> STACK =
      List.of(
          new Frame("Loader.__next__.<locals>.inner", "stands.py", 11),
          new Frame("Loader.__next__", "stands.py", 14),
          new Frame("générateur.<locals>.<genexpr>", "stands.py", 18),
          new Frame("générateur", "stands.py", 18),
          new Frame("main", "stands.py", 22),
          new Frame("<module>", "stands.py", 26));

  private static List<Frame> frames(RecordedMemory memory) throws IOException {
    var symbols = ElfSymbols.at(memory, memory.base).orElseThrow();
    return PythonThread.read(memory, symbols, memory.mainThread).frames();
  }

  private static long symbol(RecordedMemory memory, String name) throws IOException {
    return ElfSymbols.at(memory, memory.base).orElseThrow().address(name).orElseThrow();
  }

  private static byte[] pointer(long value) {
    return ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array();
  }

  @ParameterizedTest
  @ValueSource(strings = {"3.11", "3.12", "3.13", "3.14"})
  void shouldReadFunctionsFilesAndLines(String version) throws IOException {
    assertThat(frames(RecordedMemory.of(version))).isEqualTo(STACK);
  }

  /** Code has no qualified name before 3.11. */
  @Test
  void shouldReadPlainNamesOfFunctionsFrom310() throws IOException {
    assertThat(frames(RecordedMemory.of("3.10")))
        .containsExactly(
            new Frame("inner", "stands.py", 11),
            new Frame("__next__", "stands.py", 14),
            new Frame("<genexpr>", "stands.py", 18),
            new Frame("générateur", "stands.py", 18),
            new Frame("main", "stands.py", 22),
            new Frame("<module>", "stands.py", 26));
  }

  @Test
  void shouldReadNoVersionWhoseLayoutIsNotKnown() throws IOException {
    var memory = RecordedMemory.of("3.13");
    memory.write(symbol(memory, "Py_Version"), new byte[] {0, 0, 0x0f, 0x03});
    assertThat(frames(memory)).isEmpty();
  }

  /** A frame that is torn, or was written by the program to mislead. */
  @ParameterizedTest
  @ValueSource(strings = {"3.10", "3.11", "3.12", "3.13", "3.14"})
  void shouldEndTheStackWhereAFrameHasNoCode(String version) throws IOException {
    var memory = RecordedMemory.of(version);
    var layout = layout(version);
    long second = memory.pointer(innermost(memory, layout) + layout.frames().previous());
    long code = memory.pointer(second + layout.frames().code()) & ~3L;
    memory.write(code + PythonLayout.TYPE, pointer(symbol(memory, "PyUnicode_Type")));
    assertThat(frames(memory)).containsExactly(innermost(version));
  }

  @ParameterizedTest
  @ValueSource(strings = {"3.10", "3.11", "3.12", "3.13", "3.14"})
  void shouldEndAtMostEightFramesInAChainWithoutEnd(String version) throws IOException {
    var memory = RecordedMemory.of(version);
    var layout = layout(version);
    long first = innermost(memory, layout);
    memory.write(first + layout.frames().previous(), pointer(first));
    assertThat(frames(memory)).hasSize(8).containsOnly(innermost(version));
  }

  @Test
  void shouldEndWhereThreadsHaveNoEnd() throws IOException {
    var memory = RecordedMemory.of("3.13");
    var threads = PythonLayout.V3_13.threads();
    long thread =
        memory.pointer(
            memory.pointer(symbol(memory, "_PyRuntime") + threads.interpreter())
                + threads.thread());
    memory.write(thread + threads.next(), pointer(thread));
    memory.write(thread + threads.number(), pointer(1));
    // The frames of another thread were not recorded.
    assertThatThrownBy(() -> frames(memory)).isInstanceOf(IOException.class);
  }

  @Test
  void shouldShowNoControlCharacterOfAName() throws IOException {
    var memory = RecordedMemory.of("3.12");
    var layout = PythonLayout.V3_12;
    long code = memory.pointer(innermost(memory, layout) + layout.frames().code());
    long name = memory.pointer(code + layout.code().name());
    memory.write(name + layout.ascii(), new byte[] {0x1b, '[', '2', 'J', '\n', 7});
    assertThat(frames(memory).getFirst().function()).startsWith("?[2J??");
  }

  @Test
  void shouldTakeTheEndOfALongPath() throws IOException {
    var memory = RecordedMemory.of("3.12");
    var layout = PythonLayout.V3_12;
    long code = memory.pointer(innermost(memory, layout) + layout.frames().code());
    long file = memory.pointer(code + layout.code().file());
    memory.write(file + PythonLayout.TEXT_LENGTH, pointer(1L << 40));
    assertThatThrownBy(() -> frames(memory))
        .as("512 letters of its end, which are not there")
        .isInstanceOf(IOException.class);
    memory.write(file + PythonLayout.TEXT_LENGTH, pointer(-1));
    assertThat(frames(memory).getFirst().file()).isEmpty();
  }

  /** A frame of 3.10 that is no frame: torn, or freed meanwhile. */
  @Test
  void shouldEndTheStackWhereAFrameIsNone() throws IOException {
    var memory = RecordedMemory.of("3.10");
    var layout = PythonLayout.V3_10;
    long second = memory.pointer(innermost(memory, layout) + layout.frames().previous());
    memory.write(second + PythonLayout.TYPE, pointer(symbol(memory, "PyCode_Type")));
    assertThat(frames(memory)).containsExactly(innermost("3.10"));
  }

  private static Frame innermost(String version) {
    return version.equals("3.10") ? new Frame("inner", "stands.py", 11) : STACK.getFirst();
  }

  private static PythonLayout layout(String version) {
    return PythonLayout.of(0x03 << 24 | Integer.parseInt(version.substring(2)) << 16).orElseThrow();
  }

  private static long innermost(RecordedMemory memory, PythonLayout layout) throws IOException {
    var at = layout.threads();
    long interpreter = memory.pointer(symbol(memory, "_PyRuntime") + at.interpreter());
    long thread = memory.pointer(interpreter + at.thread());
    for (long next = thread; next != 0; next = memory.pointer(thread + at.next())) {
      thread = next;
    }
    long frame = memory.pointer(thread + at.frame());
    return at.inner() < 0 ? frame : memory.pointer(frame + at.inner());
  }
}
