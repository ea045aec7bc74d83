package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static dev.rekindle.controller.recovery.RecoverySnapshots.snapshot;
import static dev.rekindle.controller.recovery.ResumeFailuresFixture.failed;
import static dev.rekindle.controller.recovery.ResumeFailuresFixture.ranks;
import static dev.rekindle.controller.recovery.ResumeFailuresFixture.verifying;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.FormerRun;
import dev.rekindle.api.JobRef;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.api.RestartReportSpec.PodRestart;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.api.ResumeAttempt;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.OrderView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A gang whose containers end at each start, before its first step. */
class StartLoopTest {
  private static final int SIZE = job().view().gangSize();

  private static PodView crashed(PodView pod, int restarts, String kind, @Nullable Integer code) {
    return pod.withRestarts(restarts)
        .withReady(false)
        .withLastExit(NOW)
        .withFailure(
            restarts == 0 ? null : new PodView.Failure(kind, false, "container ended", code));
  }

  /** Rank 0 and rank 1 were started again so often. */
  private static List<PodView> gangOf(int master, int worker, String kind, @Nullable Integer code) {
    List<PodView> gang = new ArrayList<>(gang(ME + "-1"));
    gang.set(0, crashed(gang.get(0), master, "ExitCode", 1));
    gang.set(1, crashed(gang.get(1), worker, kind, code));
    return gang;
  }

  private static Optional<StartLoop> loop(List<PodView> gang) {
    return StartLoop.of(gang, SIZE, List.of(), Optional.empty());
  }

  @ParameterizedTest
  @CsvSource({
    "5, 5, 1, true",
    "1, 5, 1, true",
    "5, 1, 1, true",
    "4, 4, 1, false",
    "0, 9, 1, false",
    "9, 9, , false",
    "9, 9, 6, false",
    "10, 9, 6, true",
    "4, 4, 0, true",
  })
  void shouldCountWhatCameAfterAllPodsRan(
      int master, int worker, @Nullable Integer before, boolean loops) {
    StartLoop loop = loop(gangOf(master, worker, "ExitCode", 1)).orElseThrow();

    assertThat(loop.most()).isEqualTo(Math.max(master, worker));
    assertThat(loop.crashing(before, false).isPresent()).isEqualTo(loops);
  }

  @ParameterizedTest
  @CsvSource({
    "ExitCode, 1, true",
    "CrashLoop, 1, true",
    "Signal, 134, true",
    "Signal, 139, true",
    "OutOfMemory, 137, false",
    "CrashLoop, 137, false",
    "Signal, 143, false",
    "ExitCode, 16, false",
    "CrashLoop, 16, false",
    "ExitCode, 93, false",
    "CrashLoop, 0, false",
    "NodeLost, 1, false",
    "StartError, 128, false",
    "CrashLoop, , false",
  })
  void shouldCountNoKillAndNoEndThatAsksForAnotherRun(
      String kind, @Nullable Integer code, boolean loops) {
    Optional<PodView> crashing =
        loop(gangOf(1, 7, kind, code)).flatMap(found -> found.crashing(1, false));

    assertThat(crashing.map(PodView::name))
        .isEqualTo(loops ? Optional.of(gang(ME + "-1").get(1).name()) : Optional.empty());
  }

  @Test
  void shouldWaitUntilAllPodsRun() {
    List<PodView> gang = gangOf(9, 9, "ExitCode", 1);
    assertThat(loop(gang)).isPresent();
    assertThat(loop(gang.subList(0, SIZE - 1))).isEmpty();
    gang.set(2, gang.get(2).withPhase(PodView.Phase.PENDING));
    assertThat(loop(gang)).isEmpty();
  }

  /** The number of a pod is that of all its containers. */
  @Test
  void shouldCountNoContainerBesideTheRankWhereAgentsReport() {
    List<PodView> gang = gangOf(9, 9, "ExitCode", 1);
    List<RankView> ranks =
        ranks(gang, null, null).stream().map(r -> r.withRestartCount(1)).toList();

    StartLoop loop = StartLoop.of(gang, SIZE, ranks, Optional.empty()).orElseThrow();

    assertThat(loop.most()).isEqualTo(1);
    assertThat(loop.crashing(1, true)).isEmpty();
  }

  /** The kill that the agent was ordered to do is no end of its own. */
  @Test
  void shouldNotCountTheRestartThatWasOrdered() {
    List<PodView> gang = gangOf(4, 8, "ExitCode", 1);
    RestartOrderSpec spec =
        new RestartOrderSpec(
            JobRef.pyTorchJob("demo", "u"),
            "demo-r1",
            RestartInstruction.RESTART_ALL,
            "leader",
            NOW);
    Map<String, PodRestart> reported =
        Map.of(
            gang.get(1).uid(), new PodRestart("", gang.get(1).uid(), "c", 3, "", State.RESTARTED));
    Generation generation =
        new Generation(new OrderView("team", "demo-r1-1", "u", NOW, spec), reported);

    assertThat(
            StartLoop.of(gang, SIZE, List.of(), Optional.of(generation)).orElseThrow().restarts())
        .containsEntry(gang.get(0).uid(), 4)
        .containsEntry(gang.get(1).uid(), 4);
  }

  private static Decision decide(
      List<PodView> gang, @Nullable Integer before, List<RankView> ranks) {
    return RecoveryMachine.decide(
        snapshot(job(), verifying(null).withRestartsAtStart(before), gang, ranks, 1),
        Policy.DEFAULT,
        NOW);
  }

  @Test
  void shouldWriteDownOnceHowOftenContainersHadEndedWhenAllRan() {
    Decision decision = decide(gangOf(1, 2, "ExitCode", 1), null, List.of());

    RecoveryStatus next = ((Decision.Move) decision).next();
    assertThat(next).isEqualTo(verifying(null).withRestartsAtStart(2));
    assertThat(((Decision.Move) decision).notes()).isEmpty();
    assertThat(decide(gangOf(1, 2, "ExitCode", 1), 2, List.of())).isInstanceOf(Decision.Wait.class);
    assertThat(decide(gang(ME + "-1"), null, List.of())).isInstanceOf(Decision.Wait.class);
  }

  @Test
  void shouldGiveTheAttemptUpAsOneThatCrashed() {
    Decision decision = decide(gangOf(5, 4, "ExitCode", 1), 1, List.of());

    ResumeAttempt attempt = failed(decision);
    assertThat(attempt.result()).isEqualTo(ResumeResult.CRASHED);
    assertThat(attempt.node()).isEqualTo(gang(ME + "-1").get(0).node());
    assertThat(attempt.detail()).contains("again and again", "exit code 1", "5 times");
    RecoveryStatus next = ((Decision.Move) decision).next();
    assertThat(next.phase()).isEqualTo(RecoveryPhase.DRAINING);
    assertThat(next.attempt()).isEqualTo(2);
    assertThat(next.restartsAtStart()).as("the next attempt counts anew").isNull();
  }

  /** The former gang took 40 s from its creation to its first step. */
  @ParameterizedTest
  @CsvSource({"40, 140, false", "40, 141, true", "-1, 1000, false", ", 1000, false"})
  void shouldNotWaitForAMasterThatTakesTwiceAsLongAsBefore(
      @Nullable Long took, long inPhase, boolean over) {
    FormerRun before = new FormerRun(T0, took == null ? null : T0.plusSeconds(took), null, true);
    RecoveryStatus status = verifying(null).withRestartsAtStart(1).withPhaseSince(T0);
    RecoveryStatus known =
        status.withCause(Objects.requireNonNull(status.cause()).withBefore(before));
    List<PodView> gang = gangOf(0, 5, "ExitCode", 1);

    Decision decision =
        RecoveryMachine.decide(
            snapshot(job(), known, gang, List.of(), 1), Policy.DEFAULT, T0.plusSeconds(inPhase));

    assertThat(decision).isInstanceOf(over ? Decision.Move.class : Decision.Wait.class);
  }

  /** It had moved, and crashed later: its steps decide, and the time for them. */
  @Test
  void shouldNotGiveUpAGangThatHasMadeAStep() {
    List<PodView> gang = gangOf(9, 9, "ExitCode", 1);

    assertThat(decide(gang, 1, ranks(gang, 21L, null))).isInstanceOf(Decision.Wait.class);
  }

  /** A fault of a node is no crash of the program. */
  @Test
  void shouldLeaveNodeFaultsTheirWay() {
    List<PodView> gang = gangOf(9, 9, "ExitCode", 1);
    RecoverySnapshot s =
        snapshot(job(), verifying(null).withRestartsAtStart(1), gang, List.of(), 1)
            .with(
                b ->
                    b.faults(
                        List.of(Given.fault(gang.get(1).node(), "XID-79", FenceGuidance.ALWAYS))));

    assertThat(failed(RecoveryMachine.decide(s, Policy.DEFAULT, NOW)).result())
        .isEqualTo(ResumeResult.INTERRUPTED);
  }
}
