package dev.rekindle.simulator.replay;

import static dev.rekindle.simulator.replay.Given.HOUR;
import static dev.rekindle.simulator.replay.Given.outage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.cli.UsageException;
import dev.rekindle.simulator.replay.Faults.Tally;
import dev.rekindle.simulator.replay.Timeline.State;
import dev.rekindle.simulator.replay.Timeline.Stop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ReplayTest {
  static final Duration DAY = Duration.ofDays(1);
  private static final Duration INTERVAL = Duration.ofMinutes(30);
  private static final Duration WRITE = Duration.ofSeconds(3);

  static Result run(Plan plan, World world) {
    return Replay.run(plan, world, elapsed -> {});
  }

  /** A fault on each of the nodes, one a day: some node of the job is hit. */
  static List<Outage> onAll(int nodes, String category, String what) {
    return IntStream.range(0, nodes)
        .mapToObj(
            i ->
                outage(
                    "n" + i,
                    DAY.multipliedBy(i).plus(HOUR.multipliedBy(3)),
                    DAY.multipliedBy(i).plus(HOUR.multipliedBy(15)),
                    category,
                    what))
        .toList();
  }

  @ParameterizedTest
  @CsvSource({
    "GPU, GPU Lost, gpu-lost, 0, 10, XID-79",
    "GPU, HBM, ecc, 0, 10, XID-95",
    "NIC, NIC Lost, nic-down, 0, 10, NIC-PORT-DOWN",
    "CPU, ?, node-dead, 30, 90, NodeSilent",
    // The peers give up after ten minutes, which is when the stall is found: either may come first.
    "?, NCCL timeout, hang, 590, 640, Stalled|ContainerEnded",
    "Software, ?, crash, 0, 700, ContainerEnded",
  })
  void shouldBringTheJobBackWhateverTheFault(
      String category, String what, String word, long soonest, long latest, String reason)
      throws UsageException {
    Plan plan = Given.plan(4, 2, onAll(6, category, what), DAY.multipliedBy(6));
    Result result = run(plan, World.REKINDLE);
    assertThat(result.account().stops()).isNotEmpty().allMatch(Stop::over);
    assertThat(result.byCause()).containsOnlyKeys(word);
    assertThat(result.recoveries())
        .isNotEmpty()
        .allMatch(r -> r.phase() == RecoveryPhase.RECOVERED && r.reason().matches(reason));
    for (Stop stop : result.account().stops()) {
      Duration detected = stop.acted(result.actions()).orElseThrow().minus(stop.start());
      assertThat(detected.toSeconds()).isBetween(soonest, latest);
      // Detection, drain, four minutes to the rendezvous at the most, one to load.
      assertThat(stop.length().minus(detected).toSeconds()).isBetween(200L, 400L);
    }
    assertThat(result.tallies().values().stream().mapToInt(Tally::hit).sum())
        .isEqualTo(result.account().stops().size());
  }

  @Test
  void shouldAccountForAllTime() throws UsageException {
    Duration wall = DAY.multipliedBy(4);
    Plan plan = Given.plan(6, 2, Given.random(8, HOUR.multipliedBy(8), HOUR, wall), wall);
    for (World world : World.values()) {
      Result r = run(plan, world);
      Duration all =
          r.account()
              .in(State.TRAINING)
              .plus(r.account().in(State.DOWN))
              .plus(r.account().in(State.SHORT_OF_NODES));
      assertThat(all).isEqualTo(wall);
      // What is neither productive nor written is what was made again, to a step for each stop.
      double again = (double) r.madeAgain().toSeconds();
      assertThat(again)
          .isCloseTo(10.0 * r.account().lost(), within(15.0 * (r.account().stops().size() + 1)));
    }
  }

  @Test
  void shouldAgreeWithThreeFaultsReckonedByHand() throws UsageException {
    List<Outage> outages = new ArrayList<>();
    // All three faults hit rank 0's node of the moment: its name comes first of those in use.
    outages.addAll(onAll(6, "GPU", "GPU Lost"));
    Plan plan = Given.plan(3, 3, outages, DAY.multipliedBy(6));
    Result r = run(plan, World.REKINDLE);
    int hits = r.tallies().getOrDefault(FaultKind.GPU_LOST, Tally.NONE).hit();
    assertThat(r.account().stops()).hasSize(hits);
    // Each stop throws away what was trained since the last checkpoint: 30 min and 3 s apart.
    Duration back = Duration.ZERO;
    long lost = 0;
    for (Stop stop : r.account().stops()) {
      long trained = stop.start().minus(back).toSeconds();
      lost += trained % 1803 / 10;
      back = stop.end().minusSeconds(10);
    }
    assertThat(r.account().lost()).isBetween(lost - hits, lost + hits);
    Duration standing =
        r.account().stops().stream().map(Stop::length).reduce(Duration.ZERO, Duration::plus);
    double seconds = 6 * 86_400.0 - standing.toSeconds();
    assertThat((double) r.account().made())
        .isCloseTo(seconds / 1803 * 180, within(180.0 * (hits + 1) / 60));
    assertThat(r.ettr())
        .isCloseTo((r.account().made() - lost) * 10 / (6 * 86_400.0), within(0.001));
  }

  @Test
  void shouldAgreeWithTheRenewalFormula() throws UsageException {
    Duration wall = DAY.multipliedBy(30);
    Plan plan =
        Given.plan(
            10, 14, Given.random(24, HOUR.multipliedBy(2), HOUR.multipliedBy(12), wall), wall);
    Result r = run(plan, World.REKINDLE);
    assertThat(r.account().stops().size()).isGreaterThan(100);
    double measured =
        Result.renewal(r.betweenStops().orElseThrow(), r.meanStop().orElseThrow(), INTERVAL, WRITE);
    // The draw of the moments of the faults is what is left: half an interval, give or take.
    assertThat(r.ettr()).isCloseTo(measured, within(0.005));
    // The same from the assumptions alone: how many faults hit, and what a restart takes.
    Duration restart = plan.restart().plusSeconds(15);
    Duration between = wall.dividedBy(r.account().stops().size()).minus(restart);
    double expected = Result.renewal(between, restart, INTERVAL, WRITE);
    assertThat(r.ettr()).isCloseTo(expected, within(0.005));
  }

  @Test
  void shouldCostNothingButCapacityWhereTheJobIsNot() throws UsageException {
    Plan plan = Given.plan(2, 4, onAll(6, "GPU", "GPU Lost"), DAY.multipliedBy(6));
    Result r = run(plan, World.REKINDLE);
    Tally tally = r.tallies().getOrDefault(FaultKind.GPU_LOST, Tally.NONE);
    assertThat(tally.idle()).isPositive();
    assertThat(tally.hit() + tally.idle()).isEqualTo(6);
    assertThat(r.account().stops()).hasSize(tally.hit());
  }

  @Test
  void shouldLeaveOutWhatNoOperatorWouldDo() throws UsageException {
    Plan plan =
        Given.plan(3, 1, onAll(4, "Stress Test Failure", "Unknown Error"), DAY.multipliedBy(4));
    Result r = run(plan, World.REKINDLE);
    assertThat(r.tallies()).containsOnlyKeys(FaultKind.AWAY);
    assertThat(r.tallies().get(FaultKind.AWAY)).isEqualTo(new Tally(0, 1, 3));
    assertThat(r.account().stops()).isEmpty();
    assertThat(r.ettr()).isCloseTo(1800 / 1803.0, within(0.001));
  }

  @ParameterizedTest
  @EnumSource(names = {"REKINDLE", "PERSON"})
  void shouldWaitForARepairWhereNodesAreTooFew(World world) throws UsageException {
    Plan plan = Given.plan(4, 0, onAll(4, "CPU", "MCE"), DAY.multipliedBy(4));
    Result r = run(plan, world);
    assertThat(r.account().stops()).hasSize(4).allMatch(Stop::over);
    // Twelve hours each, until the repair.
    assertThat(r.account().in(State.SHORT_OF_NODES)).isEqualTo(HOUR.multipliedBy(48));
    assertThat(r.account().in(State.DOWN)).isLessThan(HOUR);
  }

  @Test
  void shouldReplayATraceLikeInfiniteHbdTheSameEachTime() throws UsageException {
    List<Outage> outages = TraceGenerator.llama3(240, 8, 8, 4);
    Plan plan = Given.plan(220, 20, outages, Duration.ofDays(8));
    Result one = run(plan, World.REKINDLE);
    assertThat(one.account().stops()).isNotEmpty();
    assertThat(run(plan, World.REKINDLE)).isEqualTo(one);
  }
}
