package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static dev.rekindle.controller.recovery.RecoverySnapshots.decide;
import static dev.rekindle.controller.recovery.RecoverySnapshots.snapshot;
import static dev.rekindle.controller.recovery.RecoverySnapshots.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RecoveryView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What holds in every phase, and recoveries that others have answered. */
class RecoveryMachineTest {
  @ParameterizedTest
  @EnumSource(
      value = RecoveryPhase.class,
      names = {"DETECTED", "FENCING", "DRAINING", "PLANNING", "RESUMING"})
  void shouldResumeAnOrphanWhateverTheBudgetSays(RecoveryPhase phase) {
    Given.Job orphan = job().suspended(phase == RecoveryPhase.DETECTED ? "demo-r1" : ME, true);
    RecoveryStatus status = status(phase, null, 1, "Orphaned");

    assertThat(decide(orphan, status, List.of(), 99))
        .isEqualTo(decide(orphan, status, List.of(), 0));
  }

  /** One leader did not see the recovery that had suspended the job; the next one did. */
  @ParameterizedTest
  @EnumSource(
      value = RecoveryPhase.class,
      names = {"DETECTED", "FENCING", "DRAINING"})
  void shouldEndWhatWasToResumeAJobThatRunsAgain(RecoveryPhase phase) {
    Decision decision = decide(job(), status(phase, null, 1, "Orphaned"), List.of(), 0);

    assertThat(decision).isInstanceOf(Decision.Move.class);
    assertThat(((Decision.Move) decision).next().phase()).isEqualTo(RecoveryPhase.CANCELLED);
    assertThat(decide(job(), status(phase, null, 2, "Orphaned"), List.of(), 0))
        .isNotEqualTo(decision);
  }

  @Test
  void shouldTakeARecoveryThatHasDoneNothingForAnsweredByOneThatEndedSince() {
    RecoveryView idle = Given.recovery("demo-r2", T0, status(RecoveryPhase.DETECTED, null, 1));
    RecoveryView ended = Given.recovery("demo-r1", T0.minusSeconds(9), ended(T0.plusSeconds(30)));
    RecoveryView endedBefore =
        Given.recovery("demo-r1", T0.minusSeconds(9), ended(T0.minusSeconds(1)));
    RecoveryView atWork = Given.recovery("demo-r2", T0, status(RecoveryPhase.DRAINING, null, 1));

    assertThat(RecoveryMachine.answeredBy(idle, List.of(idle, ended))).contains("demo-r1");
    assertThat(RecoveryMachine.answeredBy(idle, List.of(idle, endedBefore))).isEmpty();
    assertThat(RecoveryMachine.answeredBy(atWork, List.of(atWork, ended))).isEmpty();
  }

  private static RecoveryStatus ended(Instant at) {
    return new RecoveryStatus(
        RecoveryPhase.RECOVERED, at, 1, null, null, null, null, List.of(), List.of());
  }

  @Test
  void shouldSettleWithMoreFaultyNodesThanAnObjectCanName() {
    List<PodView> pods = new ArrayList<>();
    Map<String, NodeView> nodes = new HashMap<>();
    List<FaultView> faults = new ArrayList<>();
    PodView one = gang("").getFirst();
    for (int i = 0; i < 10_000; i++) {
      String name = "node-%05d.%s".formatted(i, "long-name-of-a-rack".repeat(4));
      String pod = "demo-worker-" + i;
      pods.add(one.with(b -> b.name(pod).uid(pod).node(name)));
      nodes.put(name, node(name));
      faults.add(fault(name, "XID-79", FenceGuidance.ALWAYS));
    }
    RecoverySnapshot s =
        snapshot(
            job().workers(9_999),
            status(RecoveryPhase.FENCING, null, 1),
            pods,
            nodes,
            faults,
            List.of(),
            0);
    int moves = 0;
    while (RecoveryMachine.decide(s, Policy.DEFAULT, NOW)
        instanceof Decision.Move(RecoveryStatus next, _)) {
      s = s.with(next);
      assertThat(++moves).isLessThan(5);
    }
    RecoveryStatus settled = Transitions.status(s);
    assertThat(settled.phase()).isEqualTo(RecoveryPhase.HELD);
    assertThat(settled.conditions())
        .allSatisfy(c -> assertThat(c.getMessage()).startsWith("BreakerOpen").hasSizeLessThan(500));
  }
}
