package dev.rekindle.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RestartMode;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A job on some of four nodes whose rank 0 alone saves, on a path of its node. */
class SimulatedRankZeroCheckpointsTest extends SimulatedJobFixture {
  private void begin(int ranks) {
    begin(
        Given.job()
            .ranks(ranks, 8)
            .onNodeOfRankZero()
            .way(RestartMode.REBUILD)
            .training(Duration.ofMillis(100), 10, Duration.ofMillis(500)),
        Policy.DEFAULT);
  }

  private String nodeOfRankZero() {
    return run.pods().stream()
        .filter(pod -> pod.role().equals("master"))
        .map(PodView::node)
        .findFirst()
        .orElseThrow();
  }

  /** It does not train on node-0, which the scheduler would take first of all from then on. */
  private String trained(int ranks) {
    begin(ranks);
    run.world().nodes().patch("node-0", n -> n.cordoned(true, ""));
    run.until(() -> run.step() > 35);
    run.world().nodes().patch("node-0", n -> n.cordoned(false, ""));
    return nodeOfRankZero();
  }

  @Test
  void shouldTakeRankZeroBackToItsNodeAndTheOthersElsewhere() {
    String home = trained(3);
    run.levers().rankDies(Given.KEY, 1, 1);
    run.untilOver();

    assertThat(nodeOfRankZero()).isEqualTo(home);
    assertThat(outcome().firstStepAfter()).isEqualTo(31);
  }

  /** Of its nodes none is within reach, and another one shows what they share. */
  @Test
  void shouldWaitForTheNodeOfAJobOnOneNode() {
    String home = trained(1);
    run.stateFault(home);
    run.until(() -> run.phase() == RecoveryPhase.HELD);

    assertThat(run.only().timeline().getLast().detail())
        .contains("no checkpoint on node-0, and " + home + " is out of reach");
    run.runFor(Duration.ofMinutes(3));
    assertThat(run.phase()).isEqualTo(RecoveryPhase.HELD);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void shouldWaitForItsNodeAndContinueThere(int ranks) {
    String home = trained(ranks);
    run.levers().nodeDies(home);
    run.until(() -> run.phase() == RecoveryPhase.HELD);
    assertThat(run.only().timeline().getLast().detail())
        .contains(home + " is out of reach, so that the only copy is there");
    run.runFor(Duration.ofMinutes(3));
    assertThat(run.phase()).isEqualTo(RecoveryPhase.HELD);
    assertThat(run.suspended()).isTrue();

    run.levers().nodeReturns(home);
    run.untilOver();
    assertThat(nodeOfRankZero()).isEqualTo(home);
    assertThat(outcome().firstStepAfter()).isEqualTo(31);
  }

  private RecoveryStatus.Outcome outcome() {
    return Objects.requireNonNull(run.newest().outcome());
  }
}
