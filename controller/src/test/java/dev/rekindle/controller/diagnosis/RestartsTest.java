package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.nodes;
import static dev.rekindle.controller.Given.recovery;
import static dev.rekindle.controller.diagnosis.JobSnapshots.NOW;
import static dev.rekindle.controller.diagnosis.JobSnapshots.XID_79;
import static dev.rekindle.controller.diagnosis.JobSnapshots.drained;
import static dev.rekindle.controller.diagnosis.JobSnapshots.reason;
import static dev.rekindle.controller.diagnosis.JobSnapshots.stepping;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.TimelineEntry;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RecoveryView;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** How many restarts a job has had, and the budget for them. */
class RestartsTest {
  @Test
  void shouldRefuseOnceTheBudgetIsSpentAndRecoverAgainWhenItsWindowHasPassed() {
    List<RecoveryView> spent =
        IntStream.rangeClosed(1, 5).mapToObj(i -> drained("demo-r" + i, NOW, 1)).toList();
    JobSnapshot s =
        new JobSnapshot(
            job().view(), gang("a"), nodes(), List.of(XID_79), stepping(gang("a")), spent);

    assertThat(JobVerdicts.decide(s, Policy.DEFAULT, NOW.plusSeconds(3600)))
        .isInstanceOfSatisfying(
            Verdict.Refuse.class, r -> assertThat(r.reason()).isEqualTo(Reason.BUDGET_EXHAUSTED));
    assertThat(reason(JobVerdicts.decide(s, Policy.DEFAULT, NOW.plusSeconds(3601))))
        .isEqualTo("XID-79");
  }

  @Test
  void shouldCountEveryAttemptAndNoRecoveryThatNeverSuspendedTheJob() {
    RecoveryStatus untouched =
        new RecoveryStatus(
            RecoveryPhase.CANCELLED, T0, 1, null, null, null, null, List.of(), List.of());
    List<RecoveryView> recoveries =
        List.of(drained("demo-r1", NOW, 3), Given.recovery("demo-r2", NOW, untouched));

    assertThat(Restarts.since(recoveries, T0)).isEqualTo(3);
  }

  static Stream<Arguments> timelines() {
    return Stream.of(
        argumentSet("begun before", 0, 1, List.of(at(RecoveryPhase.DRAINING, -1))),
        argumentSet("begun within", 1, 1, List.of(at(RecoveryPhase.DRAINING, 0))),
        argumentSet(
            "detected before, then held for a person",
            1,
            1,
            List.of(
                at(RecoveryPhase.DETECTED, -9),
                at(RecoveryPhase.HELD, -9),
                at(RecoveryPhase.DRAINING, 1))),
        argumentSet(
            "drained before, resumed within",
            1,
            1,
            List.of(
                at(RecoveryPhase.DRAINING, -9),
                at(RecoveryPhase.HELD, -8),
                at(RecoveryPhase.RESUMING, 1),
                at(RecoveryPhase.VERIFYING, 2))),
        argumentSet(
            "first attempt before, second within",
            1,
            2,
            List.of(
                at(RecoveryPhase.DRAINING, -9),
                at(RecoveryPhase.VERIFYING, -8),
                at(RecoveryPhase.DRAINING, 1))),
        argumentSet(
            "one attempt, another fault on the way",
            1,
            1,
            List.of(
                at(RecoveryPhase.DRAINING, 1),
                at(RecoveryPhase.FENCING, 2),
                at(RecoveryPhase.DRAINING, 3))),
        argumentSet(
            "attempts that a long timeline has lost", 7, 7, List.of(at(RecoveryPhase.DRAINING, 1))),
        argumentSet("never suspended", 0, 1, List.of(at(RecoveryPhase.FENCING, 1))));
  }

  @ParameterizedTest
  @MethodSource("timelines")
  void shouldCountARestartWhenItHappened(int count, int attempts, List<TimelineEntry> timeline) {
    RecoveryStatus status =
        new RecoveryStatus(
            RecoveryPhase.FAILED, T0, attempts, null, null, null, null, timeline, List.of());
    RecoveryView recovery = Given.recovery("demo-r1", T0.minusSeconds(10), status);

    assertThat(Restarts.since(List.of(recovery), T0)).isEqualTo(count);
  }

  private static TimelineEntry at(RecoveryPhase phase, int seconds) {
    return new TimelineEntry(phase, T0.plusSeconds(seconds), "");
  }
}
