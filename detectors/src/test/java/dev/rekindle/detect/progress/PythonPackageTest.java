package dev.rekindle.detect.progress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The Python package, where there is a Python: its own tests, and its lines as an agent reads them.
 */
class PythonPackageTest {
  private static final Path PACKAGE = Path.of("..", "python");

  @BeforeAll
  static void needPython() {
    var path = System.getenv().getOrDefault("PATH", "");
    assumeTrue(
        Arrays.stream(path.split(File.pathSeparator, -1))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, "python3"))),
        "python3 on the PATH");
  }

  private static String python(String... arguments) throws IOException, InterruptedException {
    var command = new java.util.ArrayList<>(List.of("python3", "-W", "error"));
    command.addAll(List.of(arguments));
    var builder = new ProcessBuilder(command).directory(PACKAGE.toFile()).redirectErrorStream(true);
    builder.environment().put("PYTHONPATH", "src");
    builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
    var process = builder.start();
    process.getOutputStream().close();
    var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).as(output).isTrue();
    assertThat(process.exitValue()).as(output).isZero();
    return output;
  }

  @Test
  void shouldPassItsOwnTests() throws IOException, InterruptedException {
    assertThat(python("-m", "unittest", "discover", "-s", "tests")).contains("OK");
  }

  /** Skipped, and said to be, where {@code python3} has no lightning. */
  @Test
  void shouldSayTheStepsOfARealLightning() throws IOException, InterruptedException {
    var asked =
        python(
            "-c",
            "import importlib.util as m;"
                + " print(any(map(m.find_spec, ('lightning', 'pytorch_lightning'))))");
    assumeTrue(asked.strip().equals("True"), "lightning of python3: pip install lightning");
    assertThat(python("-m", "unittest", "-v", "tests/test_lightning.py"))
        .contains("OK")
        .doesNotContain("skipped");
  }

  @Test
  void shouldPrintWhatAnAgentReads() throws IOException, InterruptedException {
    var lines =
        python(
                "-c",
                """
                import rekindle
                rekindle.step(12)
                rekindle.request_restart("loss\\nspike")
                rekindle.request_restart("loss spike at step 99", before_step=70)
                """)
            .lines()
            .toList();
    assertThat(lines).hasSize(3);
    assertThat(LineReader.read(lines.getFirst()))
        .contains(new Reading.Step(StepFormat.REKINDLE, "REKINDLE", -1, 12, -1, -1));
    var now = Instant.parse("2026-01-01T00:00:00Z");
    assertThat(RestartLine.find(now, lines.get(1)))
        .contains(new RestartLine("loss spike", null, now));
    assertThat(RestartLine.find(now, lines.get(2)))
        .contains(new RestartLine("loss spike at step 99", 70L, now));
  }

  @Test
  void shouldPrintSavesThatAnAgentReads() throws IOException, InterruptedException {
    var lines = python("-c", "import rekindle\nwith rekindle.saving(12): pass").lines().toList();
    assertThat(lines).hasSize(2);
    assertThat(SaveLine.of(lines.getFirst())).hasValue(SaveLine.BEGINS);
    assertThat(SaveLine.of(lines.getLast())).hasValue(SaveLine.OVER);
    assertThat(lines).allMatch(line -> LineReader.read(line).isEmpty());
  }
}
