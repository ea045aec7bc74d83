package dev.rekindle.detect.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rekindle.api.RankEvidence.Frame;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PythonStacksTest {
  private static final Path PROC = Path.of("/proc");

  /**
   * Each Python of this machine whose layout is known; records of all versions are read everywhere.
   */
  @ParameterizedTest
  @MethodSource("pythons")
  void shouldReadAProcessThatRunsAndLeaveItRunning(String python, @TempDir Path folder)
      throws Exception {
    assumeTrue(isRead(python), python);

    var script = folder.resolve("waits.py");
    Files.writeString(
        script,
        """
        import sys

        def load():
            print("here", flush=True)
            sys.stdin.readline()
            print("left", flush=True)

        load()
        """);
    var process = new ProcessBuilder(python, script.toString()).start();
    try (var out = process.inputReader();
        var in = process.outputWriter()) {
      assertThat(out.readLine()).isEqualTo("here");
      // It may not have come from the print to the next line yet.
      var thread = new PythonStacks(PROC).of(process.pid());
      while (thread.frames().isEmpty() || thread.frames().getFirst().line() != 5) {
        Thread.onSpinWait();
        thread = new PythonStacks(PROC).of(process.pid());
      }
      assertThat(thread.compiles()).isFalse();
      assertThat(thread.frames())
          .containsExactly(new Frame("load", "waits.py", 5), new Frame("<module>", "waits.py", 8));
      in.write("\n");
      in.flush();
      assertThat(out.readLine()).isEqualTo("left");
    } finally {
      process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    }
    assertThat(new PythonStacks(PROC).of(process.pid()))
        .as("it has ended")
        .isEqualTo(MainStack.UNKNOWN);
  }

  /** A compiler calls itself: the frame that shows it is far from the innermost one. */
  @ParameterizedTest
  @MethodSource("pythons")
  void shouldSeeACompilerBelowManyFrames(String python, @TempDir Path folder) throws Exception {
    assumeTrue(isRead(python), python);
    var compiler = Files.createDirectories(folder.resolve("torch/_inductor"));
    Files.writeString(
        compiler.resolve("compile_fx.py"),
        """
        import sys

        def walk(depth):
            if depth:
                return walk(depth - 1)
            print("here", flush=True)
            sys.stdin.readline()

        def compile_fx():
            walk(100)
        """);
    var script = folder.resolve("train.py");
    Files.writeString(script, "from torch._inductor import compile_fx\ncompile_fx.compile_fx()\n");
    var process = new ProcessBuilder(python, script.toString()).start();
    try (var out = process.inputReader()) {
      assertThat(out.readLine()).isEqualTo("here");
      var thread = new PythonStacks(PROC).of(process.pid());
      while (thread.frames().size() < 8) {
        Thread.onSpinWait();
        thread = new PythonStacks(PROC).of(process.pid());
      }
      assertThat(thread.compiles()).isTrue();
      assertThat(thread.frames()).allMatch(frame -> frame.function().equals("walk"));
    } finally {
      process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    }
  }

  /** On the path, and those that pyenv has. */
  private static Stream<String> pythons() throws IOException {
    var versions = Path.of(System.getProperty("user.home"), ".pyenv/versions");
    if (!Files.isDirectory(versions)) {
      return Stream.of("python3");
    }
    try (var found = Files.newDirectoryStream(versions, "3.1?.*")) {
      return Stream.concat(
          Stream.of("python3"),
          StreamSupport.stream(found.spliterator(), false)
              .map(version -> version.resolve("bin/python3").toString())
              .toList()
              .stream());
    }
  }

  private static boolean isRead(String python) throws IOException {
    try {
      var asked = new ProcessBuilder(python, "--version").redirectErrorStream(true).start();
      var text = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return text.matches("(?s)Python 3\\.1[0-4]\\..*");
    } catch (IOException noPython) {
      return false;
    }
  }

  @Test
  void shouldReadNothingOfAnotherProgram() {
    assertThat(new PythonStacks(PROC).of(ProcessHandle.current().pid()))
        .isEqualTo(MainStack.UNKNOWN);
  }

  @Test
  void shouldReadNothingWhereThereIsNoMemory(@TempDir Path proc) throws IOException {
    var process = Files.createDirectories(proc.resolve("7"));
    Files.writeString(process.resolve("maps"), "1000-2000 r--p 00000000 08:01 7 /x/python3\n");
    Files.writeString(process.resolve("mem"), "");
    assertThat(new PythonStacks(proc).of(7)).isEqualTo(MainStack.UNKNOWN);
    assertThat(new PythonStacks(proc).of(8)).isEqualTo(MainStack.UNKNOWN);
  }
}
