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
    return PythonThread.frames(memory, symbols, memory.mainThread);
  }

  private static long symbol(RecordedMemory memory, String name) throws IOException {
    return ElfSymbols.at(memory, memory.base).orElseThrow().address(name).orElseThrow();
  }

  private static byte[] pointer(long value) {
    return ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array();
  }

  @ParameterizedTest
  @ValueSource(strings = {"3.11", "3.12", "3.13"})
  void shouldReadFunctionsFilesAndLines(String version) throws IOException {
    assertThat(frames(RecordedMemory.of(version))).isEqualTo(STACK);
  }

  @Test
  void shouldReadNoVersionWhoseLayoutIsNotKnown() throws IOException {
    var memory = RecordedMemory.of("3.13");
    memory.write(symbol(memory, "Py_Version"), new byte[] {0, 0, 0x0e, 0x03});
    assertThat(frames(memory)).isEmpty();
  }

  /** A frame that is torn, or was written by the program to mislead. */
  @ParameterizedTest
  @ValueSource(strings = {"3.11", "3.12", "3.13"})
  void shouldEndTheStackWhereAFrameHasNoCode(String version) throws IOException {
    var memory = RecordedMemory.of(version);
    var layout = PythonLayout.of(memory.word(symbol(memory, "Py_Version"))).orElseThrow();
    long second = memory.pointer(innermost(memory, layout) + layout.frames().previous());
    long code = memory.pointer(second + layout.frames().code());
    memory.write(code + PythonLayout.TYPE, pointer(symbol(memory, "PyUnicode_Type")));
    assertThat(frames(memory)).containsExactly(STACK.getFirst());
  }

  @ParameterizedTest
  @ValueSource(strings = {"3.11", "3.12", "3.13"})
  void shouldEndAtMostEightFramesInAChainWithoutEnd(String version) throws IOException {
    var memory = RecordedMemory.of(version);
    var layout = PythonLayout.of(memory.word(symbol(memory, "Py_Version"))).orElseThrow();
    long first = innermost(memory, layout);
    memory.write(first + layout.frames().previous(), pointer(first));
    assertThat(frames(memory)).hasSize(8).containsOnly(STACK.getFirst());
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
    memory.write(thread + threads.nativeId(), pointer(1));
    // The frames of another thread were not recorded.
    assertThatThrownBy(() -> frames(memory)).isInstanceOf(IOException.class);
  }

  @Test
  void shouldShowNoControlCharacterOfAName() throws IOException {
    var memory = RecordedMemory.of("3.12");
    var layout = PythonLayout.V3_12;
    long code = memory.pointer(innermost(memory, layout) + layout.frames().code());
    long name = memory.pointer(code + PythonLayout.CODE_QUALIFIED_NAME);
    memory.write(name + layout.ascii(), new byte[] {0x1b, '[', '2', 'J', '\n', 7});
    assertThat(frames(memory).getFirst().function()).startsWith("?[2J??");
  }

  @Test
  void shouldTakeTheEndOfALongPath() throws IOException {
    var memory = RecordedMemory.of("3.12");
    var layout = PythonLayout.V3_12;
    long code = memory.pointer(innermost(memory, layout) + layout.frames().code());
    long file = memory.pointer(code + PythonLayout.CODE_FILE);
    memory.write(file + PythonLayout.TEXT_LENGTH, pointer(1L << 40));
    assertThatThrownBy(() -> frames(memory))
        .as("512 letters of its end, which are not there")
        .isInstanceOf(IOException.class);
    memory.write(file + PythonLayout.TEXT_LENGTH, pointer(-1));
    assertThat(frames(memory).getFirst().file()).isEmpty();
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
