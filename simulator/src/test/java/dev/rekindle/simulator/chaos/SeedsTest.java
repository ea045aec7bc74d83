package dev.rekindle.simulator.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.rekindle.cli.CommandTree;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
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

  /** Seeds of the page, which are run on a slow machine, too. */
  private static final int COUNTED = 1_000;

  private static final Path PAGE = Path.of("..", "docs", "reliability", "outcomes.md");

  private static int code;
  private static String printed = "";

  @BeforeAll
  static void simulate() {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(text, true, StandardCharsets.UTF_8);
    code =
        CommandTree.run(
            new SimulateCommand(out),
            List.of(
                "--seeds",
                SEEDS,
                "--from",
                FROM,
                "--seconds",
                SECONDS,
                "--counts",
                Integer.toString(COUNTED)),
            out,
            out);
    printed = text.toString(StandardCharsets.UTF_8);
    System.out.println(printed.lines().reduce("", (_, last) -> last));
  }

  @Test
  void shouldHoldEveryInvariantForEverySeed() {
    assertThat(code).as(printed).isZero();
  }

  /** A change of the controller that alters a count must update the page. */
  @Test
  void shouldComeToWhatThePageSays() throws IOException {
    assumeThat(FROM).isEqualTo("0");
    assumeThat(Long.parseLong(SEEDS)).isGreaterThanOrEqualTo(COUNTED);
    assumeThat(code).as("after a seed that breaks none is counted").isZero();
    String wanted = page();
    String found = Files.exists(PAGE) ? Files.readString(PAGE) : "";
    if (!found.equals(wanted)) {
      Files.writeString(PAGE, wanted);
    }

    assertThat(found)
        .as("%s has been rewritten: review the difference, commit it, and run again", PAGE)
        .isEqualTo(wanted);
  }

  private static String page() {
    StringBuilder page =
        new StringBuilder(
            """
            # What seeds come to

            What the controller does in the first %,d seeds of the build, and how often. Written by the build, which
            fails if it differs. Commit the new counts with the change of the controller that causes them, and
            review both together. A refactoring leaves this page as it is. No count is right or wrong by itself;
            [invariants](invariants.md) say what must hold. Times and steps are sums over all recoveries that ended.
            They include clocks that step and false log lines.

            ```
            ./rekindle simulate --seeds %d --counts %d
            ```

            | what | count |
            |---|---|
            """
                .formatted(COUNTED, COUNTED, COUNTED));
    printed.lines().filter(line -> line.startsWith("| ")).forEach(l -> page.append(l).append('\n'));
    return page.toString();
  }
}
