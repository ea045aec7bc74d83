package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static dev.rekindle.controller.recovery.RecoverySnapshots.snapshot;
import static dev.rekindle.controller.recovery.RecoverySnapshots.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RestartWay;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which pods a recovery deletes, and which of them by force. */
class DrainingTest {
  private static final PodView SILENT =
      gang("").get(1).with(b -> b.deletionGraceSeconds(1L).deletionDeadline(T0));

  /** The peers of a pod on a silent node are gone, so nothing else stands against removing it. */
  @Test
  void shouldRemoveASilentPodByForceOnceTheOperatorHasSeenTheSuspension() {
    Decision seen = drain(job().suspended(ME, true), SILENT);
    Decision notSeen = drain(job().suspended(ME, false), SILENT);

    assertThat(deletions(seen))
        .containsExactly(new Effect.DeletePod(SILENT.name(), SILENT.uid(), Duration.ZERO));
    assertThat(deletions(notSeen)).as("the operator would make it anew").isEmpty();
  }

  @Test
  void shouldAskAPodToEndBeforeTheSuspensionIsSeenUnlessThatFailsTheJob() {
    PodView pod = gang("").getFirst();
    Given.Job never = job().restart(RestartPolicy.NEVER).suspended(ME, false);
    Given.Job onFailure = job().restart(RestartPolicy.ON_FAILURE).suspended(ME, false);

    assertThat(deletions(drain(onFailure, pod))).hasSize(1);
    assertThat(deletions(drain(never, pod))).isEmpty();
    assertThat(deletions(drain(job().restart(RestartPolicy.NEVER).suspended(ME, true), pod)))
        .hasSize(1);
  }

  /** With 0 the object would be gone before its kubelet has ended the process. */
  @Test
  void shouldGiveAPodASecondWhoseTemplateGivesItNone() {
    PodView pod = gang("").getFirst().withGraceSeconds(0);

    assertThat(deletions(drain(job().suspended(ME, true), pod)))
        .containsExactly(new Effect.DeletePod(pod.name(), pod.uid(), Duration.ofSeconds(1)));
  }

  /** The drain counts from the hold on, and the pod that it began with may be gone long before. */
  @Test
  void shouldSayWhichPodDoesNotEndNow() {
    Duration timeout = Policy.DEFAULT.drainTimeout();
    PodView first = ending(0);
    PodView second = ending(2);
    RecoverySnapshot s = draining(job().suspended(ME, true), List.of(first, second));
    Decision blocked = RecoveryMachine.decide(s, Policy.DEFAULT, NOW.plus(timeout));
    assertThat(Decisions.detail(blocked)).contains("DrainBlocked", first.name(), second.name());
    RecoverySnapshot held = s.with(((Decision.Move) blocked).next()).withPods(List.of(second));

    Decision renewed =
        RecoveryMachine.decide(held, Policy.DEFAULT, NOW.plus(timeout).plusSeconds(61));

    assertThat(Decisions.entered(renewed)).isEqualTo(RecoveryPhase.HELD);
    assertThat(Decisions.detail(renewed))
        .isEqualTo("DrainBlocked: pod demo-worker-1 on node node-2 does not end");
  }

  private static PodView ending(int pod) {
    return gang("").get(pod).with(b -> b.deletionGraceSeconds(1L).deletionDeadline(T0));
  }

  private static RecoverySnapshot draining(Given.Job job, List<PodView> pods) {
    return new InPlaceScene()
        .rebuilt()
        .phase(RecoveryPhase.DRAINING, NOW.minusSeconds(1))
        .job(job)
        .pods(pods)
        .snapshot();
  }

  private static Decision drain(Given.Job job, PodView pod) {
    return new InPlaceScene()
        .rebuilt()
        .phase(RecoveryPhase.DRAINING, NOW.minusSeconds(1))
        .job(job)
        .pods(List.of(pod))
        .knownSilent("node-1")
        .node(node("node-1", Readiness.SILENT, T0, true, "team/" + ME))
        .decide();
  }

  private static List<Effect> deletions(Decision decision) {
    return decision instanceof Decision.Act act
        ? act.effects().stream().filter(Effect.DeletePod.class::isInstance).toList()
        : List.of();
  }

  @Test
  void shouldForceNoPodOfAGangOfWhichNoneCouldBeDrained() {
    List<PodView> gang = gang("").stream().map(DrainingTest::terminating).toList();
    Map<String, NodeView> silent = new HashMap<>();
    Given.nodes().keySet().forEach(n -> silent.put(n, node(n, Readiness.SILENT, T0, false, "")));

    assertThat(forced(gang, silent)).as("none was seen to end").isEmpty();
    assertThat(forced(gang.subList(1, 3), silent)).as("one was seen to end").hasSize(2);
    assertThat(forced(gang, Map.of("node-3", node("node-3"))))
        .as("their nodes are gone")
        .hasSize(3);
  }

  /** Seed 33087527: its Node was deleted while its kubelet lived, and the clock stepped. */
  @Test
  void shouldWaitOutTheGraceOfAPodWhoseNodeWasDeleted() {
    PodView pod = terminating(gang("").getFirst());
    long inPhase = Duration.between(T0, NOW).toSeconds();

    assertThat(forced(List.of(pod), Map.of())).hasSize(1);
    assertThat(forced(List.of(pod.withDeletionDeadline(NOW.minusSeconds(4))), Map.of()))
        .as("the kubelet may be ending it")
        .isEmpty();
    assertThat(forced(List.of(pod.withDeletionGraceSeconds(inPhase)), Map.of()))
        .as("its deadline is over by a clock that has stepped")
        .isEmpty();
  }

  private static List<Effect> forced(List<PodView> pods, Map<String, NodeView> nodes) {
    Cause cause =
        new Cause(
            "NodeSilent",
            "silent",
            List.of(),
            List.of(),
            List.of("node-0", "node-1", "node-2"),
            List.of(),
            42L);
    Plan plan = new Plan(RestartWay.REBUILD, "", List.of(), List.of(), Map.of(), null);
    RecoveryStatus status =
        new RecoveryStatus(
            RecoveryPhase.DRAINING, T0, 1, null, cause, plan, null, List.of(), List.of());
    RecoverySnapshot snapshot =
        snapshot(job().suspended(ME, true), status, pods, nodes, List.of(), List.of(), 0);
    return RecoveryMachine.decide(snapshot, Policy.DEFAULT, NOW) instanceof Decision.Act act
        ? act.effects().stream().filter(Effect.DeletePod.class::isInstance).toList()
        : List.of();
  }

  private static PodView terminating(PodView p) {
    return p.with(b -> b.deletionGraceSeconds(1L).deletionDeadline(NOW.minusSeconds(5)));
  }
}
