package dev.rekindle.simulator.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.cli.CommandTree;
import dev.rekindle.simulator.process.BrokenFencing;
import dev.rekindle.simulator.process.Reconcilers;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SimulateCommandTest {
  private static final String SUMMARY =
      "[\\d,]+ seeds, [\\d,]+ recoveries, [\\d,]+ faults in [\\d.]+ s: [\\d,]+ recoveries/s on \\d+"
          + " threads";

  private static final Reconcilers.Factory THROWING =
      (state, gateway, clock, effects) ->
          new Reconcilers(
              _ -> {
                throw new IllegalStateException("a bug");
              },
              Reconcilers.REAL.make(state, gateway, clock, effects).nodes());

  private record Run(int code, List<String> lines) {
    static Run of(Reconcilers.Factory controller, String arguments) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
      List<String> args = Arrays.stream(arguments.split(" ")).filter(a -> !a.isEmpty()).toList();
      int code = CommandTree.run(new SimulateCommand(out, controller), args, out, out);
      return new Run(code, bytes.toString(StandardCharsets.UTF_8).lines().toList());
    }

    String last() {
      return lines.getLast();
    }

    String line(String beginning) {
      return lines.stream().filter(l -> l.startsWith(beginning)).findFirst().orElse("");
    }
  }

  @Test
  void shouldEndWithZeroAndASummaryWhereEverythingHeld() {
    Run run = Run.of(Reconcilers.REAL, "--seeds 8 --from 20 --threads 2");

    assertThat(run.code()).isZero();
    assertThat(run.last()).matches("all held: " + SUMMARY);
    assertThat(run.last()).startsWith("all held: 8 seeds, ").endsWith("on 2 threads");
    assertThat(run.last()).doesNotContain(" 0 recoveries,", " 0 faults");
  }

  @Test
  void shouldSumUpWhatTheSeedsCameTo() {
    List<SeedRun.Outcome> outcomes = List.of(SeedRun.run(20), SeedRun.run(21), SeedRun.run(22));
    int recoveries = outcomes.stream().mapToInt(SeedRun.Outcome::recoveries).sum();
    int faults = outcomes.stream().mapToInt(SeedRun.Outcome::faults).sum();

    Run run = Run.of(Reconcilers.REAL, "--seeds 3 --from 20 --threads 1");

    assertThat(run.last())
        .startsWith(
            "all held: 3 seeds, %d recoveries, %d faults in ".formatted(recoveries, faults));
  }

  @Test
  void shouldCountEachFaultByWhatItHits() {
    List<SeedRun.Outcome> outcomes = LongStream.range(20, 60).mapToObj(SeedRun::run).toList();
    int gpus = outcomes.stream().mapToInt(o -> o.hits().getOrDefault(FaultArea.GPU, 0)).sum();

    Run run = Run.of(Reconcilers.REAL, "--seeds 40 --from 20 --threads 1");

    assertThat(run.lines()).contains("%,10d faults of GPUs".formatted(gpus));
    assertThat(
            outcomes.stream().flatMap(o -> o.hits().keySet().stream()).collect(Collectors.toSet()))
        .as("each kind is drawn within a few seeds")
        .containsExactlyInAnyOrder(FaultArea.values());
  }

  @Test
  void shouldCountWhatTheControllerDoesInTheFirstSeedsHoweverLongTheyTake() {
    List<SeedRun.Outcome> outcomes = LongStream.range(20, 28).mapToObj(SeedRun::run).toList();
    long started =
        outcomes.stream()
            .mapToLong(o -> o.writes().getOrDefault("event/RecoveryStarted", 0L))
            .sum();

    Run run = Run.of(Reconcilers.REAL, "--seeds 16 --from 20 --threads 1 --counts 8");

    assertThat(started).isPositive();
    assertThat(run.lines()).contains("| event/RecoveryStarted | %d |".formatted(started));
    assertThat(Run.of(Reconcilers.REAL, "--seeds 2 --from 20 --threads 1").lines())
        .noneMatch(line -> line.startsWith("|"));
  }

  @Test
  void shouldEndWithOneAndTheReplayCommandWhereAnInvariantBroke() {
    Run run = Run.of(BrokenFencing.withoutBreaker(), "--seeds 400 --threads 2");

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.last()).matches("BROKEN: " + SUMMARY);
    String broken = run.line("seed ");
    assertThat(broken).matches("seed \\d+: invariant 4 broken at 2026-\\S+: .*");
    String seed = broken.substring("seed ".length(), broken.indexOf(':'));
    assertThat(run.lines()).contains("replay: ./rekindle simulate --seeds 1 --from " + seed);

    Run again = Run.of(BrokenFencing.withoutBreaker(), "--seeds 1 --from " + seed);

    assertThat(again.code()).isEqualTo(1);
    assertThat(again.lines()).as("the same, with all that led to it").contains(broken);
    // In seed 25 no fault was injected until then.
    assertThat(again.lines()).anyMatch(l -> l.matches(" *\\d+\\.\\d{3} (FAULT|EVENT) .*"));
  }

  @Test
  void shouldEndWithOneWhereTheControllerHasABug() {
    Run run = Run.of(THROWING, "--seeds 5 --from 30 --threads 1");

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.lines())
        .contains("seed 30: the controller threw java.lang.IllegalStateException: a bug");
    assertThat(run.lines()).contains("replay: ./rekindle simulate --seeds 1 --from 30");
    assertThat(run.last()).matches("BROKEN: " + SUMMARY);
  }

  @Test
  void shouldPrintEverythingOnlyWhereAskedTo() {
    assertThat(Run.of(Reconcilers.REAL, "--seeds 2 --from 0").lines())
        .as("the summary, and its counts by kind")
        .filteredOn(line -> !line.startsWith("  "))
        .hasSize(1);
    assertThat(Run.of(Reconcilers.REAL, "--seeds 2 --from 0 --trace").lines())
        .hasSizeGreaterThan(100);
    assertThat(Run.of(Reconcilers.REAL, "--seeds 1 --from 0").lines()).hasSizeGreaterThan(50);
  }

  @Test
  void shouldTakeValuesInBothForms() {
    String first = "all held: 2 seeds, ";
    assertThat(Run.of(Reconcilers.REAL, "--seeds=2 --from=-5 --threads=1").last())
        .startsWith(first);
    assertThat(Run.of(Reconcilers.REAL, "--seeds 2 --from -5 --threads 1").last())
        .startsWith(first);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--seeds",
        "--seeds 0",
        "--seeds -5",
        "--seeds many",
        "--seeds 99999999999999999999",
        "--from",
        "--from x",
        "--threads 0",
        "--threads",
        "--speed 5",
        "7",
        "--seeds 1 --trace --what",
      })
  void shouldEndWithTwoAndRunNothingOnBadUsage(String arguments) {
    Run run = Run.of(THROWING, arguments);

    assertThat(run.code()).isEqualTo(2);
    assertThat(run.lines().getFirst()).startsWith("rekindle simulate: ");
    assertThat(run.lines()).hasSize(2).last().isEqualTo("See 'rekindle simulate --help'.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--help", "-h", "--seeds 5 --help"})
  void shouldPrintItsUsageWhenAsked(String arguments) {
    Run run = Run.of(THROWING, arguments);

    assertThat(run.code()).isZero();
    assertThat(run.lines().getFirst()).startsWith("Usage: rekindle simulate");
  }
}
