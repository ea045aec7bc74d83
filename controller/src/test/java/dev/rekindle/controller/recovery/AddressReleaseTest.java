package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static dev.rekindle.controller.network.Networks.BY_GROUP;
import static dev.rekindle.controller.network.Networks.cluster;
import static dev.rekindle.controller.network.Networks.pool;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodNeeds;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.network.ClusterNetworks;
import dev.rekindle.controller.network.PoolView.Booking;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The last pod of a drained gang, on a node that does not answer; three pods make the gang. */
class AddressReleaseTest {
  private static final PodView POD = gang("").get(1);
  private static final Booking ITS = new Booking("team/" + POD.name(), POD.uid());

  private static PodView deleted(long graceSeconds, Instant deadline) {
    return POD.with(b -> b.deletionGraceSeconds(graceSeconds).deletionDeadline(deadline));
  }

  private static RecoverySnapshot snapshot(PodView pod, Instant since, ClusterNetworks networks) {
    return new InPlaceScene()
        .rebuilt()
        .phase(RecoveryPhase.DRAINING, since)
        .job(job().suspended(ME, true))
        .pods(List.of(pod))
        .knownSilent("node-1")
        .node(node("node-1", Readiness.SILENT, T0, true, "team/" + ME))
        .snapshot()
        .withNetworks(networks);
  }

  private static Decision decide(PodView pod, Instant since, ClusterNetworks networks) {
    return RecoveryMachine.decide(snapshot(pod, since, networks), Policy.DEFAULT, NOW);
  }

  private static List<Duration> graces(Decision decision) {
    return decision instanceof Decision.Act act
        ? act.effects().stream()
            .filter(Effect.DeletePod.class::isInstance)
            .map(e -> ((Effect.DeletePod) e).grace())
            .toList()
        : List.of();
  }

  private static Decision drain(PodView pod, ClusterNetworks networks) {
    return decide(pod, NOW.minusSeconds(2), networks);
  }

  @Test
  void shouldDeleteWithASecondOfGraceAndNotByForceWhileAFullPoolHasItsAddress() {
    ClusterNetworks exact = cluster(pool("r1", 3, ITS));

    assertThat(graces(drain(POD, exact))).containsExactly(Duration.ofSeconds(1));
    assertThat(graces(drain(deleted(30, NOW.plusSeconds(28)), exact)))
        .as("a longer grace period is cut")
        .containsExactly(Duration.ofSeconds(1));
    assertThat(drain(deleted(1, NOW.minusSeconds(1)), exact))
        .isInstanceOfSatisfying(
            Decision.Wait.class,
            w -> assertThat(w.why()).contains("pool r1 has no spare address").contains(POD.uid()));
  }

  @Test
  void shouldForceOnceNoPoolHasItsUid() {
    ClusterNetworks another = cluster(pool("r1", 3, new Booking("team/" + POD.name(), "other")));

    assertThat(graces(drain(deleted(1, NOW.minusSeconds(1)), another)))
        .containsExactly(Duration.ZERO);
  }

  @Test
  void shouldNotWaitWhereThePoolHasSpareAddresses() {
    assertThat(graces(drain(deleted(1, NOW.minusSeconds(1)), cluster(pool("r1", 4, ITS)))))
        .containsExactly(Duration.ZERO);
  }

  @Test
  void shouldNotWaitForAPoolThatCannotBeRead() {
    assertThat(
            graces(
                drain(deleted(1, NOW.minusSeconds(1)), cluster(pool("r1", 3).withBookings(null)))))
        .containsExactly(Duration.ZERO);
  }

  @Test
  void shouldContinueAfterAWhileAndSayWhy() {
    PodView pod = deleted(1, NOW.minusSeconds(31));
    ClusterNetworks exact = cluster(pool("r1", 3, ITS));
    RecoverySnapshot s = snapshot(pod, NOW.minusSeconds(40), exact);
    Decision first = RecoveryMachine.decide(s, Policy.DEFAULT, NOW);

    assertThat(first).isInstanceOf(Decision.Move.class);
    Decision.Move move = (Decision.Move) first;
    assertThat(move.notes())
        .singleElement()
        .satisfies(n -> assertThat(n.text()).contains("pool r1").contains("after 30 s"));
    assertThat(graces(RecoveryMachine.decide(s.with(move.next()), Policy.DEFAULT, NOW)))
        .containsExactly(Duration.ZERO);
  }

  @Test
  void shouldWaitOutAClockThatStepped() {
    assertThat(
            decide(
                deleted(1, NOW.minusSeconds(600)),
                NOW.minusSeconds(2),
                cluster(pool("r1", 3, ITS))))
        .isInstanceOf(Decision.Wait.class);
  }

  @Test
  void shouldExpectNothingOfSpiderpoolWhereTheNodeWasDeleted() {
    RecoverySnapshot s =
        snapshot(
            deleted(1, NOW.minusSeconds(30)), NOW.minusSeconds(20), cluster(pool("r1", 3, ITS)));
    List<NodeView> others =
        s.nodes().values().stream().filter(n -> !n.name().equals("node-1")).toList();
    RecoverySnapshot gone =
        s.withNodes(
            others.stream().collect(java.util.stream.Collectors.toMap(NodeView::name, n -> n)));

    assertThat(graces(RecoveryMachine.decide(gone, Policy.DEFAULT, NOW)))
        .containsExactly(Duration.ZERO);
  }

  /** The kubelet says so in events alone; its pod is bound and Pending. */
  @Test
  void shouldSeeThatAReplacementFindsNoAddress() {
    PodView replacement =
        gang("").get(1).with(b -> b.uid("new").node("node-2").phase(PodView.Phase.PENDING));
    Booking others = new Booking("web/x", "x");

    assertThat(unaddressed(replacement, cluster(pool("r1", 1, others), pool("r2", 9))))
        .hasValueSatisfying(
            why ->
                assertThat(why).contains("finds no address for net1 (spiderpool/gpu1) in pool r1"));
    assertThat(unaddressed(replacement, cluster(pool("r1", 2, others), pool("r2", 9))))
        .as("not yet")
        .isEmpty();
    assertThat(
            unaddressed(
                replacement,
                cluster(pool("r1", 1, new Booking("team/" + POD.name(), "new")), pool("r2", 9))))
        .as("it has one")
        .isEmpty();
    assertThat(
            unaddressed(
                replacement.withPhase(PodView.Phase.RUNNING),
                cluster(pool("r1", 1, others), pool("r2", 9))))
        .as("it runs")
        .isEmpty();
  }

  private static Optional<String> unaddressed(PodView pod, ClusterNetworks networks) {
    PodNeeds needs = new PodNeeds(Amounts.NONE, Map.of(), List.of(), List.of(), false, BY_GROUP);
    JobView job = job().view();
    JobView asking =
        job.withReplicas(
            job.replicas().stream()
                .map(r -> new JobView.Replica(r.type(), r.count(), r.restart(), r.gpus(), needs))
                .toList());
    return AddressRelease.unaddressed(snapshot(pod, NOW, networks), asking);
  }
}
