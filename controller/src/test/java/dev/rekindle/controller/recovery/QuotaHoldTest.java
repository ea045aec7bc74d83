package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static dev.rekindle.controller.recovery.RecoverySnapshots.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.controller.model.QueueView;
import dev.rekindle.controller.model.WorkloadView;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Queues that are held for a rebuild. */
class QuotaHoldTest extends KueueRecoveryFixture {
  private static final String HOLDER = QueueView.holder(job().view().key(), ME);

  @Test
  void shouldHoldTheQueueBeforeTheJobIsStopped() {
    RecoverySnapshot s = seen(job(), RUNS, status(RecoveryPhase.DRAINING, null, 1), gang(""), OPEN);
    Decision decision = decide(s);
    assertThat(effects(decision)).containsExactly(new Effect.HoldQueue("cq"), new Effect.Suspend());
    assertThat(((Decision.Act) decision).effects()).containsExactly(new Effect.HoldQueue("cq"));
  }

  static Stream<Arguments> notToBeHeld() {
    return Stream.of(
        argumentSet("not seen", RUNS, null),
        argumentSet("stopped by an administrator", RUNS, new QueueView("cq", true, "", null)),
        argumentSet("held for another job", RUNS, new QueueView("cq", true, "x/y/z", NOW)),
        argumentSet(
            "held a while ago",
            RUNS,
            new QueueView("cq", false, "", NOW.minus(QuotaHold.REST).plusSeconds(1))),
        argumentSet("held already", RUNS, new QueueView("cq", true, HOLDER, NOW)),
        argumentSet("a job without quota", RUNS.withQuotaReserved(false), OPEN));
  }

  @ParameterizedTest
  @MethodSource("notToBeHeld")
  void shouldStopTheJobAllTheSameWhereTheQueueIsNotToBeHeld(
      WorkloadView workload, @Nullable QueueView queue) {
    RecoverySnapshot s =
        seen(job(), workload, status(RecoveryPhase.DRAINING, null, 1), gang(""), queue);
    assertThat(effects(decide(s))).containsExactly(new Effect.Suspend());
  }

  @Test
  void shouldLetTheQueueGoAfterTheJobIsBackInIt() {
    RecoverySnapshot s =
        seen(
            job().suspended("", true),
            STOPPED,
            planned(),
            List.of(),
            new QueueView("cq", true, HOLDER, NOW));
    Decision.Act act = (Decision.Act) decide(s);
    assertThat(act.effects()).anyMatch(e -> e instanceof Effect.Resume);
    assertThat(act.then()).containsExactly(new Effect.ReleaseQueue("cq"));
  }

  static Stream<Arguments> toBeEnded() {
    QueueView fresh = new QueueView("cq", true, HOLDER, NOW);
    Instant longAgo = NOW.minus(QuotaHold.LONGEST).minusSeconds(1);
    return Stream.of(
        argumentSet("the recovery is held", RecoveryPhase.HELD, RecoveryPhase.DRAINING, fresh),
        argumentSet(
            "it lasts", RecoveryPhase.DRAINING, null, new QueueView("cq", true, HOLDER, longAgo)),
        argumentSet(
            "the clock that wrote it was ahead",
            RecoveryPhase.DRAINING,
            null,
            new QueueView("cq", true, HOLDER, NOW.plus(QuotaHold.LONGEST).plusSeconds(1))),
        argumentSet("the job is back", RecoveryPhase.VERIFYING, null, fresh),
        argumentSet(
            "unknown since when",
            RecoveryPhase.DRAINING,
            null,
            new QueueView("cq", true, HOLDER, null)));
  }

  @ParameterizedTest
  @MethodSource("toBeEnded")
  void shouldEndAHoldThatServesNothingOrLasts(
      RecoveryPhase phase, @Nullable RecoveryPhase heldFrom, QueueView queue) {
    RecoverySnapshot s =
        seen(
            job().suspended("", true),
            phase == RecoveryPhase.VERIFYING ? RUNS : STOPPED,
            status(phase, heldFrom, 1),
            gang(""),
            queue);
    assertThat(effects(decide(s))).containsExactly(new Effect.ReleaseQueue("cq"));
  }
}
