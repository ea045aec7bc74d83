package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RestartWay;
import dev.rekindle.api.RollBack;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.RecoveryView;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class EarlierRecoveriesTest {
  private static final RollBack FIRST = new RollBack(20, 50, T0);
  private static final RollBack SECOND = new RollBack(70, 90, T0.plusSeconds(600));

  private final RefusingCluster cluster = new RefusingCluster(job());
  private final EarlierRecoveries earlier =
      new EarlierRecoveries(new JobFacts(cluster.state, () -> cluster.now), () -> cluster.now);

  private static RecoveryView recovery(int number, RollBack back) {
    PinnedCheckpoint pin =
        new PinnedCheckpoint(CheckpointVerdict.VALID, "/ckpt/1", 1L, "L3", "", back);
    Plan plan = new Plan(RestartWay.REBUILD, "", List.of(), List.of(), Map.of(), pin);
    return Given.recovery(
        "demo-r" + number,
        T0,
        new RecoveryStatus(
            RecoveryPhase.RECOVERED, T0, 1, null, null, plan, null, List.of(), List.of()));
  }

  @Test
  void shouldKnowEachCourseThatAnEarlierRecoveryGaveUp() {
    RecoveryView current = recovery(3, new RollBack(1, 2, T0));
    Stream.of(recovery(1, FIRST), recovery(2, SECOND), current)
        .forEach(r -> cluster.state.recoveryFeed().present("team/" + r.name(), "1", r));

    assertThat(earlier.rollBacks(cluster.job(), current)).containsExactlyInAnyOrder(FIRST, SECOND);
  }
}
