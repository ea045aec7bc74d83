package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.unplaced;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static dev.rekindle.controller.recovery.RecoverySnapshots.snapshot;
import static dev.rekindle.controller.recovery.RecoverySnapshots.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.controller.model.GangScheduling.Group;
import dev.rekindle.controller.model.GangScheduling.Scheduler;
import dev.rekindle.controller.model.PodView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Gangs for whose pods the scheduler plugin Coscheduling has given up looking. */
class PodGroupsTest {
  private static final Decision WAIT = new Decision.Wait("pods", Duration.ofMinutes(1));

  private static RecoverySnapshot seen(Scheduler scheduler, Duration age) {
    List<PodView> pods = new ArrayList<>(gang(ME + "-1"));
    pods.replaceAll(p -> p.withGroup(new Group(scheduler, "demo")));
    pods.set(1, unplaced(pods.get(1)).withCreated(NOW.minus(age)));
    return snapshot(job(), status(RecoveryPhase.VERIFYING, null, 1), pods, List.of(), 0);
  }

  private static Decision kept(RecoverySnapshot s, Instant now) {
    return PodGroups.keptLooking(s, WAIT, now);
  }

  @Test
  void shouldMakeTheSchedulerCheckAgainFromTimeToTimeAndSayTheSameInBetween() {
    RecoverySnapshot s = seen(Scheduler.COSCHEDULING, PodGroups.PATIENCE);

    Decision first = kept(s, NOW);

    assertThat(first)
        .isEqualTo(
            new Decision.Act(List.of(new Effect.Requeue("demo", ME + "-1.0")), PodGroups.AGAIN));
    assertThat(kept(s, NOW.plusSeconds(1))).isEqualTo(first);
    assertThat(kept(s, NOW.plus(PodGroups.AGAIN))).isNotEqualTo(first);
  }

  @Test
  void shouldGiveTheSchedulerAMoment() {
    assertThat(kept(seen(Scheduler.COSCHEDULING, PodGroups.PATIENCE.minusMillis(1)), NOW))
        .isEqualTo(WAIT);
  }

  @ParameterizedTest
  @EnumSource(
      value = Scheduler.class,
      names = {"NONE", "VOLCANO"})
  void shouldLeaveOtherSchedulersAlone(Scheduler scheduler) {
    assertThat(kept(seen(scheduler, Duration.ofMinutes(1)), NOW)).isEqualTo(WAIT);
  }

  @Test
  void shouldNotComeBeforeAnythingThatIsToBeDone() {
    Decision act = new Decision.Act(List.of(new Effect.Suspend()), Duration.ofSeconds(1));

    assertThat(PodGroups.keptLooking(seen(Scheduler.COSCHEDULING, Duration.ofMinutes(1)), act, NOW))
        .isEqualTo(act);
  }
}
