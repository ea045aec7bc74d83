package dev.rekindle.controller.doctor;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.nodes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.FormerNetwork;
import dev.rekindle.api.FormerRun;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.Transport;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.diagnosis.GangProgress;
import dev.rekindle.controller.diagnosis.JobSnapshot;
import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.PodNeeds;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.network.Installation;
import dev.rekindle.controller.network.NetworkWish;
import dev.rekindle.detect.WatchedNamespaces;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TransportChecksTest {
  private static final Transport IB =
      new Transport(1, 1, 0, List.of("IB"), List.of("mlx5_0"), 1, 2, 2, 0, "");
  private static final Transport TCP =
      new Transport(1, 0, 1, List.of("Socket"), List.of(), 0, 0, 0, 2, "");

  private static JobView asking(String resource) {
    PodNeeds needs =
        new PodNeeds(
            Amounts.of(Map.of(resource, 1L)),
            Map.of(),
            List.of(),
            List.of(),
            false,
            NetworkWish.NONE);
    JobView job = job().view();
    return job.withReplicas(
        job.replicas().stream()
            .map(r -> new JobView.Replica(r.type(), r.count(), r.restart(), r.gpus(), needs))
            .toList());
  }

  private static List<String> checks(
      JobView job, Map<String, String> variables, @Nullable Transport last) {
    List<PodView> pods = gang("");
    List<RankView> ranks = new ArrayList<>();
    for (RankView rank : Given.ranks(pods, 5L, T0, T0)) {
      ranks.add(rank.withTransport(ranks.size() == 2 ? last : IB));
    }
    return checks(job, pods, ranks, variables, List.of());
  }

  private static List<String> checks(
      JobView job,
      List<PodView> pods,
      List<RankView> ranks,
      Map<String, String> variables,
      List<RecoveryStatus> recoveries) {
    Map<String, Map<String, String>> all = new HashMap<>();
    pods.forEach(pod -> all.put(pod.uid(), variables));
    JobSnapshot snapshot =
        new JobSnapshot(
            job,
            pods,
            nodes(),
            List.of(),
            ranks,
            recoveries.stream().map(s -> Given.recovery("demo-r1", T0, s)).toList());
    ExaminedJob e =
        new ExaminedJob(
            snapshot,
            Optional.of(Policy.DEFAULT),
            "",
            true,
            "",
            all,
            Map.of(),
            WatchedNamespaces.ALL,
            Installation.NONE,
            List.of());
    return TransportChecks.of(e, GangProgress.of(pods, ranks)).stream()
        .map(c -> c.status().word() + " " + c.detail() + " -> " + c.advice())
        .toList();
  }

  @Test
  void shouldSayNothingOfAJobThatRequestsNoRdma() {
    assertThat(checks(job().view(), Map.of(), null)).isEmpty();
    assertThat(checks(asking("nvidia.com/gpu"), Map.of(), null)).isEmpty();
  }

  @Test
  void shouldFindAJobOnRdma() {
    assertThat(checks(asking("rdma/hca_1"), Map.of(), IB))
        .containsExactly("ok NCCL of all 3 pods is on IB -> ");
  }

  @Test
  void shouldNameThePodThatIsOnTcp() {
    assertThat(checks(asking("rdma/hca_1"), Map.of(), TCP))
        .singleElement()
        .asString()
        .startsWith("missing NCCL of pod demo-worker-1 on node node-2 sends over TCP -> ");
  }

  @Test
  void shouldWarnOfAJobWhoseLogsCannotShowItsNetwork() {
    assertThat(checks(asking("rdma/hca_1"), Map.of(), null))
        .singleElement()
        .asString()
        .startsWith("missing nothing shows it: NCCL_DEBUG of pod demo-worker-1 is not set")
        .contains("set NCCL_DEBUG=INFO");
    assertThat(checks(asking("rdma/hca_1"), Map.of("NCCL_DEBUG", "WARN"), null))
        .singleElement()
        .asString()
        .contains("is not INFO");
    assertThat(
            checks(
                asking("rdma/hca_1"),
                Map.of("NCCL_DEBUG", "INFO", "NCCL_DEBUG_FILE", "/tmp/nccl.%h"),
                null))
        .singleElement()
        .asString()
        .startsWith("missing nothing shows it: NCCL_DEBUG_FILE");
  }

  @Test
  void shouldNotKnowWhereLinesMayStillCome() {
    assertThat(checks(asking("rdma/hca_1"), Map.of("NCCL_DEBUG", "info"), null))
        .singleElement()
        .asString()
        .startsWith("unknown ");
    assertThat(checks(asking("rdma/hca_1"), Map.of("NCCL_DEBUG", ""), null))
        .singleElement()
        .asString()
        .startsWith("unknown ");
  }

  @Test
  void shouldAskAsMuchOfAJobThatRequiresRdmaByAnnotationAlone() {
    assertThat(checks(job().view().withRequiresRdma(true), Map.of(), null)).hasSize(1);
  }

  @Test
  void shouldCompareTheTimeOfAStepWithThatBeforeTheNewestRecovery() {
    RecoveryStatus status =
        new RecoveryStatus(
            null,
            T0,
            1,
            null,
            new Cause("XID-79", "", List.of(), List.of(), List.of(), List.of(), 1L)
                .withBefore(
                    new FormerRun(T0, T0, null, true, new FormerNetwork(false, 0, false, 2.0))),
            null,
            null,
            List.of(),
            List.of());
    List<PodView> pods = gang("");
    List<RankView> ranks =
        Given.ranks(pods, 300L, T0.plusSeconds(600), T0).stream()
            .map(r -> r.with(b -> b.firstStep(100L).firstStepTime(T0)))
            .toList();
    assertThat(checks(job().view(), pods, ranks, Map.of(), List.of(status)))
        .singleElement()
        .asString()
        .startsWith("unknown a step takes 1.50 times as long as before the newest recovery");
  }
}
