package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.Decisions.entered;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static dev.rekindle.controller.recovery.RecoverySnapshots.snapshot;
import static dev.rekindle.controller.recovery.RecoverySnapshots.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.FormerNetwork;
import dev.rekindle.api.FormerRun;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.Transport;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.PodNeeds;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.network.EndpointView;
import dev.rekindle.controller.network.EndpointView.Attached;
import dev.rekindle.controller.network.NetworkWish;
import dev.rekindle.controller.network.Networks;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the condition {@code RdmaRestored} of a recovered gang says. */
class RestoredNetworkTest {
  static final Transport IB =
      new Transport(1, 1, 0, List.of("IB"), List.of("mlx5_0"), 1, 2, 2, 0, "");
  private static final Transport SOCKET =
      new Transport(1, 0, 1, List.of("Socket"), List.of(), 0, 0, 0, 2, "");
  private static final FormerNetwork ON_RDMA = new FormerNetwork(true, 1, true, null);

  private static Optional<Condition> after(
      @Nullable FormerNetwork before, @Nullable Transport first, @Nullable Transport others) {
    RecoveryStatus verifying = status(RecoveryPhase.VERIFYING, null, 1);
    List<PodView> gang = gang(ME + "-1");
    List<RankView> ranks = new ArrayList<>();
    for (RankView rank : Given.ranks(gang, 21L, NOW, NOW)) {
      ranks.add(rank.withTransport(ranks.isEmpty() ? first : others));
    }
    RecoverySnapshot s =
        snapshot(
            job(),
            verifying.withCause(
                Objects.requireNonNull(verifying.cause())
                    .withBefore(new FormerRun(T0, null, null, true, before))),
            gang,
            ranks,
            1);
    return RecoveryStatusBuilder.network(recovered(s).next());
  }

  static Decision.Move recovered(RecoverySnapshot s) {
    Decision decision = RecoveryMachine.decide(s, Policy.DEFAULT, NOW);
    assertThat(entered(decision)).isEqualTo(RecoveryPhase.RECOVERED);
    return (Decision.Move) decision;
  }

  /** A gang on InfiniBand whose templates and pods request these resources. */
  static RecoverySnapshot asking(NetworkWish wish, List<String> templates, List<String> pods) {
    RecoveryStatus verifying = status(RecoveryPhase.VERIFYING, null, 1);
    List<PodView> gang = gang(ME + "-1").stream().map(p -> p.withRequests(amounts(pods))).toList();
    List<RankView> ranks =
        Given.ranks(gang, 21L, NOW, NOW).stream().map(r -> r.withTransport(IB)).toList();
    RecoverySnapshot s = snapshot(job(), verifying, gang, ranks, 1);
    JobView job = Objects.requireNonNull(s.job());
    PodNeeds needs = new PodNeeds(amounts(templates), Map.of(), List.of(), List.of(), false, wish);
    return s.withJob(
        job.withReplicas(
            job.replicas().stream()
                .map(r -> new Replica(r.type(), r.count(), r.restart(), r.gpus(), needs))
                .toList()));
  }

  static Amounts amounts(List<String> resources) {
    return Amounts.of(resources.stream().collect(Collectors.toMap(r -> r, _ -> 1L)));
  }

  static Optional<Condition> said(RecoverySnapshot s) {
    return RecoveryStatusBuilder.network(recovered(s).next());
  }

  static void says(Optional<Condition> condition, String status, String reason) {
    assertThat(condition)
        .hasValueSatisfying(
            c -> {
              assertThat(c.getStatus()).isEqualTo(status);
              assertThat(c.getReason()).isEqualTo(reason);
            });
  }

  @Test
  void shouldBeTrueWhereAllRanksAreOnRdmaAsBefore() {
    says(after(ON_RDMA, IB, IB), "True", "OnRdma");
  }

  @Test
  void shouldBeFalseAndNameTheRankWhereOneIsOnTcp() {
    Optional<Condition> condition = after(ON_RDMA, SOCKET, IB);
    says(condition, "False", "NcclSocketFallback");
    assertThat(condition.orElseThrow().getMessage()).contains(gang(ME).getFirst().name());
  }

  @Test
  void shouldBeUnknownWhereARankSaysNothing() {
    says(after(ON_RDMA, null, IB), "Unknown", "NcclDebugOff");
  }

  @Test
  void shouldBeAbsentWhereTheJobNeitherRequestedRdmaNorHadIt() {
    assertThat(after(null, SOCKET, SOCKET)).isEmpty();
  }

  @Test
  void shouldJudgeAGangByRdmaResourcesWithoutSpiderpool() {
    List<String> asked = List.of("rdma/hca_1", "rdma/hca_2", "cpu");
    says(said(asking(NetworkWish.NONE, asked, asked)), "True", "OnRdma");
    says(
        said(asking(NetworkWish.NONE, asked, List.of("rdma/hca_1", "cpu"))),
        "False",
        "RdmaResourceMissing");
    assertThat(said(asking(NetworkWish.NONE, List.of("cpu"), List.of("cpu")))).isEmpty();
  }

  @Test
  void shouldJudgeAGangByTheAddressesOfItsPods() {
    List<String> asked = List.of(Networks.resource(1), Networks.resource(2));
    RecoverySnapshot s =
        asking(Networks.BY_GROUP, List.of(), asked)
            .withNetworks(Networks.cluster(Networks.pool("r1", 9), Networks.pool("r2", 9)));
    says(said(s), "True", "OnRdma");

    PodView pod = s.pods().get(1);
    EndpointView oneRail =
        new EndpointView(
            "train",
            pod.name(),
            pod.uid(),
            pod.node(),
            "demo",
            List.of(new Attached("net1", "10.0.0.2/24", "r1", "", "")));
    Optional<Condition> condition = said(s.withEndpoints(Map.of(pod.name(), oneRail)));
    says(condition, "False", "RailNotAttached");
    assertThat(condition.orElseThrow().getMessage()).contains(pod.name(), "net2 (spiderpool/gpu2)");
  }

  @Test
  void shouldTellAPersonOfAGangOnTcpAndOfNoOther() {
    RecoverySnapshot s = asking(NetworkWish.NONE, List.of("rdma/a"), List.of("rdma/a"));
    assertThat(recovered(s).notes())
        .extracting(Decision.Note::reason)
        .doesNotContain(Reason.RDMA_NOT_RESTORED);
    RecoverySnapshot onTcp =
        s.withRanks(s.ranks().stream().map(r -> r.withTransport(SOCKET)).toList());
    assertThat(recovered(onTcp).notes())
        .filteredOn(n -> n.reason() == Reason.RDMA_NOT_RESTORED)
        .singleElement()
        .satisfies(n -> assertThat(n.node()).isEqualTo("node-0"));
  }
}
