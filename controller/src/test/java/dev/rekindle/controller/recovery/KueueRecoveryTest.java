package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.Decisions.detail;
import static dev.rekindle.controller.recovery.Decisions.entered;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static dev.rekindle.controller.recovery.RecoverySnapshots.snapshot;
import static dev.rekindle.controller.recovery.RecoverySnapshots.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.GangScheduling;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.QueueView;
import dev.rekindle.controller.model.QueuedJob;
import dev.rekindle.controller.model.WorkloadView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Recoveries of jobs that Kueue admits. */
class KueueRecoveryTest {
  private static final WorkloadView RUNS = Given.workload();
  private static final WorkloadView STOPPED =
      RUNS.with(b -> b.active(false).stoppedBy(ME).quotaReserved(false).admitted(false));
  private static final QueueView OPEN = new QueueView("cq", false, "", null);
  private static final String HOLDER = QueueView.holder(job().view().key(), ME);

  private static RecoverySnapshot seen(
      Given.Job job,
      WorkloadView workload,
      RecoveryStatus status,
      List<PodView> pods,
      @Nullable QueueView queue) {
    RecoverySnapshot s = snapshot(job, status, pods, List.of(), 0);
    return s.with(
        b ->
            b.job(
                    QueuedJob.with(
                        job.view().withGang(new GangScheduling.Kueue("q", null)),
                        List.of(workload)))
                .queue(queue));
  }

  private static Decision decide(RecoverySnapshot s) {
    return RecoveryMachine.decide(s, Policy.DEFAULT, NOW);
  }

  private static List<Effect> effects(Decision decision) {
    assertThat(decision).isInstanceOf(Decision.Act.class);
    Decision.Act act = (Decision.Act) decision;
    return Stream.concat(act.effects().stream(), act.then().stream()).toList();
  }

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
  void shouldDeleteNoPodBeforeKueueHasSuspendedTheJob() {
    RecoverySnapshot s =
        seen(
            job().restart(RestartPolicy.ON_FAILURE),
            STOPPED,
            status(RecoveryPhase.DRAINING, null, 1),
            gang(""),
            OPEN);

    Decision decision = decide(s);

    assertThat(decision).isInstanceOf(Decision.Wait.class);
    assertThat(((Decision.Wait) decision).why()).contains("Kueue has not suspended");
    RecoverySnapshot suspended =
        seen(
            job().suspended("", true),
            STOPPED,
            status(RecoveryPhase.DRAINING, null, 1),
            gang(""),
            OPEN);
    assertThat(effects(decide(suspended))).hasSize(3).allMatch(e -> e instanceof Effect.DeletePod);
  }

  private static RecoveryStatus planned() {
    RecoveryStatus status = status(RecoveryPhase.RESUMING, null, 1);
    return status.withPlan(
        Objects.requireNonNull(status.plan())
            .with(
                b ->
                    b.excludedNodes(List.of("node-1"))
                        .gangSize(3)
                        .checkpoint(
                            new PinnedCheckpoint(
                                CheckpointVerdict.VALID, "/ckpt/step_40", 40L, "", "", null, ""))));
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

  @ParameterizedTest
  @EnumSource
  void shouldLeaveThePlaceToKueueWhereItAssignsNodes(RestartPolicy policy) {
    List<List<String>> excluded =
        Stream.of(false, true)
            .map(aware -> STOPPED.withTopologyAware(aware))
            .map(
                workload ->
                    seen(
                        job().restart(policy).suspended("", true),
                        workload,
                        planned(),
                        List.of(),
                        OPEN))
            .map(s -> effects(decide(s)))
            .map(
                all ->
                    all.stream()
                        .filter(Effect.Resume.class::isInstance)
                        .map(Effect.Resume.class::cast)
                        .findFirst()
                        .orElseThrow()
                        .order()
                        .excludedHostnames())
            .toList();

    assertThat(excluded).containsExactly(List.of("node-1.host"), List.of());
  }

  static Stream<Arguments> toBeEnded() {
    QueueView fresh = new QueueView("cq", true, HOLDER, NOW);
    Instant longAgo = NOW.minus(QuotaHold.LONGEST).minusSeconds(1);
    return Stream.of(
        argumentSet("the recovery is held", RecoveryPhase.HELD, RecoveryPhase.DRAINING, fresh),
        argumentSet(
            "it lasts", RecoveryPhase.DRAINING, null, new QueueView("cq", true, HOLDER, longAgo)),
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

  @Test
  void shouldWaitForAdmissionWithoutBurningAnAttempt() {
    WorkloadView waits =
        RUNS.with(b -> b.quotaReserved(false).admitted(false).message("insufficient unused quota"));
    RecoverySnapshot s =
        seen(
            job().suspended("", true),
            waits,
            status(RecoveryPhase.VERIFYING, null, 1),
            List.of(),
            OPEN);

    Decision decision = RecoveryMachine.decide(s, Policy.DEFAULT, NOW.plus(Duration.ofHours(1)));

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.HELD);
    assertThat(detail(decision)).contains("NotAdmitted", "insufficient unused quota");
    RecoverySnapshot held = s.with(((Decision.Move) decision).next());
    assertThat(decide(held)).isInstanceOf(Decision.Wait.class);
    RecoverySnapshot admitted =
        held.withJob(
            QueuedJob.with(
                job().view().withGang(new GangScheduling.Kueue("q", null)), List.of(RUNS)));
    assertThat(entered(decide(admitted))).isEqualTo(RecoveryPhase.VERIFYING);
  }

  @ParameterizedTest
  @EnumSource(
      value = RecoveryPhase.class,
      names = {"DETECTED", "FENCING", "DRAINING"})
  void shouldLeaveAJobAloneThatKueueStopsByItself(RecoveryPhase phase) {
    RecoverySnapshot s =
        seen(job(), RUNS.withAdmitted(false), status(phase, null, 1), gang(""), OPEN);

    Decision decision = decide(s);

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.CANCELLED);
    assertThat(detail(decision)).contains("Kueue has stopped the job");
  }

  @Test
  void shouldLetAJobGoThatAPersonStartsAgain() {
    RecoverySnapshot s =
        seen(
            job(), RUNS.withStoppedBy(ME), status(RecoveryPhase.DRAINING, null, 1), gang(""), OPEN);

    assertThat(entered(decide(s))).isEqualTo(RecoveryPhase.CANCELLED);
  }

  @Test
  void shouldGiveUpAJobThatFailedMeanwhile() {
    RecoverySnapshot s =
        seen(
            job().failed(NOW, "it broke").suspended("", true),
            STOPPED,
            status(RecoveryPhase.DRAINING, null, 1),
            gang(""),
            OPEN);

    Decision decision = decide(s);

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.FAILED);
    assertThat(detail(decision)).contains("submitted anew");
  }
}
