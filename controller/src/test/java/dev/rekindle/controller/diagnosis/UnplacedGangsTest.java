package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.nodes;
import static dev.rekindle.controller.Given.unplaced;
import static dev.rekindle.controller.diagnosis.JobSnapshots.reason;
import static dev.rekindle.controller.diagnosis.JobSnapshots.silent;
import static dev.rekindle.controller.diagnosis.JobSnapshots.snapshot;
import static dev.rekindle.controller.diagnosis.JobSnapshots.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Gangs that the scheduler finds no place for. */
class UnplacedGangsTest {
  static Stream<Arguments> homeless() {
    Instant due = T0.plus(Policy.DEFAULT.start());
    List<PodView> pods = with(gang("demo-r1-1"), 2, unplaced(gang("demo-r1-1").get(2)));
    Given.Job ours = job().attempt("demo-r1-1");
    return Stream.of(
        argumentSet("too long", ours, pods, due, Verdict.Recover.class),
        argumentSet("not long yet", ours, pods, due.minusSeconds(1), Verdict.Watch.class),
        argumentSet("never resumed by us", job(), pods, due, Verdict.NoAction.class),
        argumentSet("all placed", ours, gang("demo-r1-1"), due, Verdict.NoAction.class),
        argumentSet(
            "to be observed only",
            job().attempt("demo-r1-1").optIn(new OptIn.Yes(Mode.OBSERVE)),
            pods,
            due,
            Verdict.Refuse.class));
  }

  @ParameterizedTest
  @MethodSource("homeless")
  void shouldPlanAgainForAGangThatFindsNoPlace(
      Given.Job job, List<PodView> pods, Instant now, Class<? extends Verdict> verdict) {
    assertThat(unplacedAt(job, pods, nodes(), now)).isInstanceOf(verdict);
  }

  @Test
  void shouldBlameNoNodeForAGangThatFindsNoPlace() {
    List<PodView> pods = with(gang("demo-r1-1"), 2, unplaced(gang("demo-r1-1").get(2)));
    Verdict verdict =
        unplacedAt(job().attempt("demo-r1-1"), pods, nodes(), T0.plus(Policy.DEFAULT.start()));

    assertThat(reason(verdict)).isEqualTo("Unplaced");
    Cause cause = ((Verdict.Recover) verdict).cause();
    assertThat(cause.message())
        .isEqualTo("1 of 3 pods found no place within 1800 s: 0/4 nodes are available");
    assertThat(cause.suspectPods()).containsExactly("demo-worker-1");
    assertThat(cause.faultyNodes()).isEmpty();
    assertThat(cause.silentNodes()).isEmpty();
  }

  @Test
  void shouldPlanAgainForAGangThatFindsNoPlaceThoughANodeOfItIsSilent() {
    List<PodView> pods = with(gang("demo-r1-1"), 2, unplaced(gang("demo-r1-1").get(2)));

    assertThat(
            reason(
                unplacedAt(
                    job().attempt("demo-r1-1"),
                    pods,
                    silent("node-1"),
                    T0.plus(Policy.DEFAULT.start()))))
        .isEqualTo("Unplaced");
  }

  /** Bound to a node, and no sandbox is made: a pool has no address for it, say. */
  private static PodView unstarted(PodView pod) {
    return pod.withPhase(PodView.Phase.PENDING).withReady(false);
  }

  static Stream<Arguments> unstarted() {
    Instant due = T0.plus(Policy.DEFAULT.start());
    List<PodView> pods = with(gang("demo-r1-1"), 2, unstarted(gang("demo-r1-1").get(2)));
    Given.Job ours = job().attempt("demo-r1-1");
    PodView pulling =
        pods.get(2).withFailure(new PodView.Failure("ImagePullBackOff", true, "no such image"));
    return Stream.of(
        argumentSet("too long", ours, pods, due, Verdict.Recover.class),
        argumentSet("not long yet", ours, pods, due.minusSeconds(1), Verdict.Watch.class),
        argumentSet("never resumed by us", job(), pods, due, Verdict.NoAction.class),
        argumentSet(
            "one that ends",
            ours,
            with(pods, 2, pods.get(2).withDeletionDeadline(due)),
            due,
            Verdict.NoAction.class),
        argumentSet(
            "the kubelet says why", ours, with(pods, 2, pulling), due, Verdict.Refuse.class));
  }

  @ParameterizedTest
  @MethodSource("unstarted")
  void shouldPlanAgainForAGangOfWhichAPodDoesNotStart(
      Given.Job job, List<PodView> pods, Instant now, Class<? extends Verdict> verdict) {
    assertThat(unplacedAt(job, pods, nodes(), now)).isInstanceOf(verdict);
  }

  @Test
  void shouldNameThePodThatDoesNotStart() {
    List<PodView> pods = with(gang("demo-r1-1"), 2, unstarted(gang("demo-r1-1").get(2)));
    Verdict verdict =
        unplacedAt(job().attempt("demo-r1-1"), pods, nodes(), T0.plus(Policy.DEFAULT.start()));

    assertThat(reason(verdict)).isEqualTo("Unplaced");
    assertThat(((Verdict.Recover) verdict).cause().message())
        .isEqualTo(
            "1 of 3 pods did not start on their nodes within 1800 s: pod demo-worker-1 on node"
                + " node-2");
  }

  private static Verdict unplacedAt(
      Given.Job job, List<PodView> pods, Map<String, NodeView> nodes, Instant now) {
    return JobVerdicts.decide(
        snapshot(job, pods, List.of(), List.of(), nodes), Policy.DEFAULT, now);
  }
}
