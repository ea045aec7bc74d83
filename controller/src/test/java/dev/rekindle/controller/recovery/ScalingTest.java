package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartWay;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.Policy;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Somebody changes the replicas of a job while its recovery is under way. */
class ScalingTest {
  private static final int GANG = 3;

  @ParameterizedTest
  @CsvSource({
    "DRAINING, 4, DRAINING, REBUILD",
    "DRAINING, 2, DRAINING, REBUILD",
    "PLANNING, 4, DRAINING, REBUILD",
    "RESUMING, 4, DRAINING, REBUILD",
    "RESUMING, 2, DRAINING, REBUILD",
  })
  void shouldNotRestartInPlaceWhatIsOfAnotherSizeNow(
      RecoveryPhase phase, int pods, RecoveryPhase next, RestartWay way) {
    RecoverySnapshot s = inPlace(phase);

    RecoveryStatus scaled = moved(s.withJob(scaled(s, pods)));

    assertThat(scaled.phase()).isEqualTo(next);
    assertThat(plan(scaled).restart()).isEqualTo(way);
    assertThat(plan(scaled).restartReason())
        .contains("the gang was scaled from 3 to %d pods".formatted(pods));
  }

  @ParameterizedTest
  @CsvSource({"DRAINING", "PLANNING", "RESUMING"})
  void shouldContinueInPlaceWhileTheSizeStays(RecoveryPhase phase) {
    RecoverySnapshot s = inPlace(phase);

    assertThat(RecoveryMachine.decide(s, Policy.DEFAULT, NOW).toString()).doesNotContain("scaled");
  }

  @Test
  void shouldPlanAgainWhatIsOfAnotherSizeNow() {
    RecoverySnapshot s = suspended(GANG);

    RecoveryStatus next = moved(s.withJob(scaled(s, 5)));

    assertThat(next.phase()).isEqualTo(RecoveryPhase.PLANNING);
    assertThat(next.timeline().getLast().detail())
        .isEqualTo("the gang was scaled from 3 to 5 pods: planned again");
    assertThat(RecoveryMachine.decide(s, Policy.DEFAULT, NOW))
        .as("of the same size")
        .isInstanceOfSatisfying(
            Decision.Act.class,
            act -> assertThat(act.effects()).hasAtLeastOneElementOfType(Effect.Resume.class));
    assertThat(RecoveryMachine.decide(suspended(null), Policy.DEFAULT, NOW))
        .as("planned by a version that wrote down no size")
        .isInstanceOf(Decision.Act.class);
  }

  private static RecoverySnapshot inPlace(RecoveryPhase phase) {
    RecoverySnapshot s =
        new InPlaceScene()
            .ordered(RestartInstruction.FREEZE)
            .phase(phase, NOW.minusSeconds(1))
            .snapshot();
    RecoveryStatus status = Transitions.status(s);
    return s.with(RecoveryStatusBuilder.withGang(status, GANG));
  }

  private static RecoverySnapshot suspended(@Nullable Integer planned) {
    RecoverySnapshot s = inPlace(RecoveryPhase.RESUMING);
    RecoveryStatus status =
        RecoveryStatusBuilder.withRestart(Transitions.status(s), RestartWay.REBUILD, "");
    JobView job = Given.job().suspended(s.recovery().name(), true).view();
    return s.with(status.withPlan(plan(status).withGangSize(planned)))
        .withPods(List.of())
        .withJob(job);
  }

  private static JobView scaled(RecoverySnapshot s, int pods) {
    JobView job = Objects.requireNonNull(s.job());
    assertThat(gang("")).hasSize(GANG);
    assertThat(job.gangSize()).isEqualTo(GANG);
    Replica worker = job.replicas().getLast();
    return job.withReplicas(
        List.of(
            job.replicas().getFirst(),
            new Replica(worker.type(), pods - 1, worker.restart(), worker.gpus())));
  }

  private static RecoveryStatus moved(RecoverySnapshot s) {
    return ((Decision.Move) RecoveryMachine.decide(s, Policy.DEFAULT, NOW)).next();
  }

  private static Plan plan(RecoveryStatus status) {
    return Objects.requireNonNull(status.plan());
  }
}
