package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.Decisions.detail;
import static dev.rekindle.controller.recovery.Decisions.entered;
import static dev.rekindle.controller.recovery.Decisions.way;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.api.ResumeAttempt;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.GangScheduling;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.QueuedJob;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.Reason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What the ranks of a gang do after a restart in place. */
class InPlaceVerifyingTest extends InPlaceVerifyingFixture {
  @Test
  void shouldNotVerifyWhileTheReportOnASurvivorIsMissing() {
    InPlaceScene scene =
        new InPlaceScene()
            .frozenAndReplaced()
            .ordered(RestartInstruction.RESTART_ALL)
            .phase(RecoveryPhase.RESUMING, NOW)
            .reported(0, RestartInstruction.RESTART_ALL, State.RESTARTED)
            .unreported(2);
    assertThat(scene.decide()).isInstanceOf(Decision.Wait.class);
  }

  @Test
  void shouldVerifyOnlyWhenEveryContainerWasSeenAgain() {
    InPlaceScene scene =
        new InPlaceScene()
            .frozenAndReplaced()
            .ordered(RestartInstruction.RESTART_ALL)
            .phase(RecoveryPhase.RESUMING, NOW)
            .reported(0, RestartInstruction.RESTART_ALL, State.RESTARTED);
    assertThat(scene.decide()).isInstanceOf(Decision.Wait.class);
    scene.reported(2, RestartInstruction.RESTART_ALL, State.RESTARTED);
    assertThat(entered(scene.decide())).isEqualTo(RecoveryPhase.VERIFYING);
  }

  @Test
  void shouldCallItRecoveredByStepsOfNewContainersOnly() {
    InPlaceScene scene = verifying();
    List<PodView> pods = scene.snapshot().pods();
    List<RankView> stale = Given.ranks(pods, 99L, NOW, NOW);
    assertThat(scene.ranks(stale.subList(0, 1)).decide()).isInstanceOf(Decision.Wait.class);
    List<PodView> anew = new ArrayList<>();
    pods.forEach(p -> anew.add(Given.restarted(p, NOW)));
    scene.ranks(anew.stream().map(p -> rank(p, 41, 44)).toList());
    assertThat(entered(scene.decide())).isEqualTo(RecoveryPhase.RECOVERED);
  }

  /** No pod of a gang that is restarted in place carries the attempt. */
  @Test
  void shouldNotTakeARestartInPlaceOfAJobOfKueueForAStartByKueue() {
    InPlaceScene scene = verifying();
    scene.ranks(
        scene.snapshot().pods().stream().map(p -> rank(Given.restarted(p, NOW), 41, 44)).toList());
    RecoverySnapshot s = scene.snapshot();
    JobView queued = Objects.requireNonNull(s.job()).withGang(new GangScheduling.Kueue("q", null));

    Decision decision =
        RecoveryMachine.decide(
            s.withJob(QueuedJob.with(queued, List.of(Given.workload()))), Policy.DEFAULT, NOW);

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.RECOVERED);
  }

  /** Its readiness probe is the user's word on when a rank is of use. */
  @Test
  void shouldNotCallItRecoveredWhileAPodIsNotReady() {
    InPlaceScene scene = verifying();
    List<PodView> pods = scene.snapshot().pods();
    List<PodView> anew = new ArrayList<>();
    pods.forEach(p -> anew.add(Given.restarted(p, NOW)));
    scene.ranks(anew.stream().map(p -> rank(p, 41, 44)).toList());
    List<PodView> unready = new ArrayList<>(pods);
    unready.set(2, pods.get(2).with(b -> b.ready(false)));
    assertThat(scene.pods(unready).decide()).isInstanceOf(Decision.Wait.class);
    assertThat(entered(scene.pods(pods).decide())).isEqualTo(RecoveryPhase.RECOVERED);
  }

  @Test
  void shouldRebuildWhenTheScriptWentBackFurtherThanThePin() {
    InPlaceScene scene = verifying();
    List<RankView> back =
        scene.snapshot().pods().stream().map(p -> rank(Given.restarted(p, NOW), 31, 33)).toList();
    Decision decision = scene.ranks(back).decide();
    assertThat(entered(decision)).isEqualTo(RecoveryPhase.DRAINING);
    assertThat(detail(decision)).contains("step 31", "step 40 was pinned");
    assertThat(way(decision)).as("chosen anew").isNull();
  }

  /** The job's end is the same in place as rebuilt; a step of the containers before is none. */
  @Test
  void shouldSayThatAJobSucceededInPlaceWithoutANewStep() {
    InPlaceScene scene = verifying().job(job().succeeded(NOW.minusSeconds(11)));
    List<PodView> pods = scene.snapshot().pods();
    List<RankView> ranks = new ArrayList<>(Given.ranks(pods.subList(0, 1), 99L, NOW, NOW));
    scene.ranks(ranks);
    assertThat(entered(scene.decide()))
        .as("nothing is known of the new containers")
        .isEqualTo(RecoveryPhase.CANCELLED);

    pods.forEach(p -> ranks.add(Given.rank(Given.restarted(p, NOW), null, null, NOW)));
    Decision without = scene.ranks(ranks).decide();
    assertThat(entered(without)).isEqualTo(RecoveryPhase.FAILED);
    assertThat(attempts(without))
        .singleElement()
        .satisfies(a -> assertThat(a.result()).isEqualTo(ResumeResult.NO_NEW_STEP))
        .satisfies(a -> assertThat(a.step()).isEqualTo(40));
    assertThat(((Decision.Move) without).notes())
        .extracting(Decision.Note::reason)
        .containsExactly(Reason.RESUME_FAILED, Reason.RECOVERY_FAILED);

    ranks.add(rank(Given.restarted(pods.getFirst(), NOW), 41, 41));
    assertThat(entered(scene.ranks(ranks).decide())).isEqualTo(RecoveryPhase.CANCELLED);
    scene.job(job().succeeded(NOW)).ranks(ranks.subList(0, 1 + pods.size()));
    assertThat(scene.decide()).as("reports may be behind").isInstanceOf(Decision.Wait.class);
  }

  @Test
  void shouldTryAgainWhereAContainerEndedWithSuccessInPlaceBeforeAStep() {
    InPlaceScene scene = verifying();
    List<PodView> pods = new ArrayList<>(scene.snapshot().pods());
    scene.ranks(
        pods.stream().map(p -> Given.rank(Given.restarted(p, NOW), null, null, NOW)).toList());
    pods.set(2, ended(pods.get(2), NOW));
    assertThat(scene.pods(pods).decide())
        .as("reports may be behind")
        .isInstanceOf(Decision.Wait.class);

    pods.set(2, ended(pods.get(2), NOW.minusSeconds(11)));
    Decision decision = scene.pods(pods).decide();
    assertThat(entered(decision)).isEqualTo(RecoveryPhase.DRAINING);
    assertThat(attempts(decision))
        .singleElement()
        .satisfies(a -> assertThat(a.result()).isEqualTo(ResumeResult.NO_NEW_STEP))
        .satisfies(a -> assertThat(a.detail()).contains("exit code 0 before a step was made"));
  }

  private static PodView ended(PodView pod, Instant at) {
    return pod.withPhase(PodView.Phase.SUCCEEDED).withLastExit(at);
  }

  private static List<ResumeAttempt> attempts(Decision decision) {
    return ((Decision.Move) decision).next().resumes();
  }

  private static InPlaceScene verifying() {
    return new InPlaceScene()
        .frozenAndReplaced()
        .ordered(RestartInstruction.RESTART_ALL)
        .reported(0, RestartInstruction.RESTART_ALL, State.RESTARTED)
        .reported(2, RestartInstruction.RESTART_ALL, State.RESTARTED)
        .pinned(40)
        .phase(RecoveryPhase.VERIFYING, NOW.minusSeconds(1));
  }
}
