package dev.rekindle.simulator.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.cli.CommandTree;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The seeds of every build. {@code -Dsimulate.seeds=N -Dsimulate.from=SEED -Dsimulate.seconds=N}
 * runs others; {@code ./rekindle simulate} does the same without a build.
 */
class SeedsTest {
  /** A build on a slow machine ends in time; the last line of the test says how many were run. */
  private static final String SECONDS = System.getProperty("simulate.seconds", "180");

  private static final String SEEDS = System.getProperty("simulate.seeds", "20000");
  private static final String FROM = System.getProperty("simulate.from", "0");

  @Test
  void shouldHoldEveryInvariantForEverySeed() {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(text, true, StandardCharsets.UTF_8);

    int code =
        CommandTree.run(
            new SimulateCommand(out),
            List.of("--seeds", SEEDS, "--from", FROM, "--seconds", SECONDS),
            out,
            out);

    String printed = text.toString(StandardCharsets.UTF_8);
    System.out.println(printed.lines().reduce("", (_, last) -> last));
    assertThat(code).as(printed).isZero();
  }
}
