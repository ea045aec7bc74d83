package dev.rekindle.charts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * Prometheus' own checker of rules, built from its Go module into the cache of the testbed by
 * {@code testbed/install.sh promtool}, or on the PATH. Without it tests are skipped with a line
 * that says so; with {@code REKINDLE_PROMTOOL=required}, as {@code .ci/run} has it, they fail.
 */
final class Promtool {
  private static final String NAME = "promtool";

  private Promtool() {}

  /** Runs it in a folder; fails with its output where it does. */
  static void run(Path folder, String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(binary().toString()));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as("%s%n%s", String.join(" ", command), output).isZero();
  }

  private static Path binary() {
    Optional<Path> found = places().filter(Files::isExecutable).findFirst();
    if (found.isEmpty() && !"required".equals(System.getenv("REKINDLE_PROMTOOL"))) {
      String why = "no promtool: rules are not tried; build it with testbed/install.sh promtool";
      System.out.println(why);
      Assumptions.abort(why);
    }
    return found.orElseThrow(() -> new AssertionError("there is no promtool in " + cache()));
  }

  private static Stream<Path> places() {
    return Stream.concat(
            Stream.of(cache().resolve("bin")),
            Stream.of(Optional.ofNullable(System.getenv("PATH")).orElse("").split(":", -1))
                .map(Path::of))
        .map(folder -> folder.resolve(NAME));
  }

  /** As {@code testbed/lib.sh} has it. */
  private static Path cache() {
    return Optional.ofNullable(System.getenv("CACHE"))
        .map(Path::of)
        .orElseGet(
            () ->
                Optional.ofNullable(System.getenv("XDG_CACHE_HOME"))
                    .map(Path::of)
                    .orElseGet(() -> Path.of(System.getProperty("user.home"), ".cache"))
                    .resolve("rekindle-testbed"));
  }
}
