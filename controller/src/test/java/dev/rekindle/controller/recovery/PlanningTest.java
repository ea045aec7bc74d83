package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.Decisions.detail;
import static dev.rekindle.controller.recovery.Decisions.entered;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static dev.rekindle.controller.recovery.RecoverySnapshots.XID_79;
import static dev.rekindle.controller.recovery.RecoverySnapshots.decide;
import static dev.rekindle.controller.recovery.RecoverySnapshots.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.TrackerView;
import dev.rekindle.controller.network.ClusterNetworks;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How a drained gang waits for its inspector and for room. */
class PlanningTest {
  private static Duration pauseAfter(long millis, Inspection inspection) {
    RecoverySnapshot s =
        new InPlaceScene()
            .rebuilt()
            .job(job().suspended(ME, true))
            .pods(List.of())
            .phase(RecoveryPhase.PLANNING, NOW.minusMillis(millis))
            .snapshot()
            .withInspection(inspection);
    Policy policy = Policy.DEFAULT.with(b -> b.inspect(Duration.ofSeconds(60)));
    Decision decision = RecoveryMachine.decide(s, policy, NOW);
    return ((Decision.Wait) decision).recheck();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 150",
    "-5000, 150",
    "1200, 150",
    "4000, 500",
    "16000, 2000",
    "50000, 2000",
    "59000, 1000",
    "59990, 150"
  })
  void shouldReadTheInspectorLessOftenTheLongerItTakes(long waitedMillis, long pauseMillis) {
    assertThat(pauseAfter(waitedMillis, new Inspection.Pending("ContainerCreating")))
        .hasMillis(pauseMillis);
    assertThat(pauseAfter(waitedMillis, new Inspection.Report(1, List.of(), "")))
        .hasMillis(pauseMillis);
  }

  private static final Map<String, Long> TOO_FEW = Map.of("node-0", 8L, "node-3", 1L);

  @Test
  void shouldHoldAGangForWhichThereIsNoRoomAndSayWhatIsMissing() {
    Decision decision = plan(RecoveryPhase.PLANNING, null, TOO_FEW, true);

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.HELD);
    assertThat(detail(decision))
        .startsWith(
            "NoCapacity: needed: 3 pods with 8 GPUs; free: 23 GPUs on 3 nodes, at most 8 on one");
    assertThat(((Decision.Move) decision).notes())
        .singleElement()
        .satisfies(n -> assertThat(n.reason()).isEqualTo(Reason.RECOVERY_HELD));
  }

  @Test
  void shouldNotScanOnWhileThereIsNoRoom() {
    assertThat(plan(RecoveryPhase.HELD, RecoveryPhase.PLANNING, TOO_FEW, true))
        .isInstanceOfSatisfying(
            Decision.Act.class,
            act -> assertThat(act.effects()).containsExactly(new Effect.StopInspector()));
    assertThat(plan(RecoveryPhase.HELD, RecoveryPhase.PLANNING, TOO_FEW, false))
        .isInstanceOf(Decision.Wait.class);
  }

  @Test
  void shouldPlanAgainOnceThereIsRoom() {
    Decision decision = plan(RecoveryPhase.HELD, RecoveryPhase.PLANNING, Map.of(), false);

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.PLANNING);
    assertThat(plan(RecoveryPhase.PLANNING, null, Map.of(), false))
        .isInstanceOfSatisfying(
            Decision.Act.class,
            act -> assertThat(act.effects()).containsExactly(new Effect.StartInspector()));
  }

  @Test
  void shouldExcludeOnlyWhatIsStillFaulty() {
    RecoverySnapshot repaired = planning(RecoveryPhase.PLANNING, null, Map.of(), true, List.of());
    RecoverySnapshot faulty =
        planning(RecoveryPhase.PLANNING, null, Map.of(), true, List.of(XID_79));

    assertThat(excluded(repaired)).isEmpty();
    assertThat(excluded(faulty)).containsExactly("node-1");
  }

  private static List<String> excluded(RecoverySnapshot s) {
    Decision decision = RecoveryMachine.decide(s, Policy.DEFAULT, NOW);
    assertThat(entered(decision)).isEqualTo(RecoveryPhase.RESUMING);
    return Objects.requireNonNull(((Decision.Move) decision).next().plan()).excludedNodes();
  }

  private static Decision plan(
      RecoveryPhase phase,
      @Nullable RecoveryPhase heldFrom,
      Map<String, Long> taken,
      boolean inspectorStarted) {
    return RecoveryMachine.decide(
        planning(phase, heldFrom, taken, inspectorStarted, List.of()), Policy.DEFAULT, NOW);
  }

  private static RecoverySnapshot planning(
      RecoveryPhase phase,
      @Nullable RecoveryPhase heldFrom,
      Map<String, Long> taken,
      boolean inspectorStarted,
      List<FaultView> faults) {
    return new RecoverySnapshot(
        Given.recovery(ME, T0, status(phase, heldFrom, 1)),
        job().suspended(ME, true).view(),
        List.of(),
        Given.nodes(),
        faults,
        List.of(),
        null,
        List.of(),
        taken,
        Map.of(),
        1,
        null,
        true,
        inspectorStarted,
        new Inspection.Report(2, List.of(), ""),
        List.of(),
        0L,
        false,
        List.of(),
        Failures.NONE,
        List.of(),
        null,
        ClusterNetworks.NONE,
        new TrackerView.Absent(),
        List.of(),
        Map.of());
  }

  @Test
  void shouldNotResumeInTheNameOfAnotherRecovery() {
    Decision decision =
        decide(
            job().suspended("demo-r3", true),
            status(RecoveryPhase.PLANNING, null, 1, "Orphaned"),
            List.of(),
            0);

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.CANCELLED);
  }
}
