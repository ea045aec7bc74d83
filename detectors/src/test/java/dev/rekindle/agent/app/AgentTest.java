package dev.rekindle.agent.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.RankReport;
import dev.rekindle.detect.pod.TrainingPod;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Kernel log, pods and the API server. */
class AgentTest extends AgentFixture {
  private boolean faultThere() {
    return crud.client.resources(NodeFault.class).withName(FAULT).get() != null;
  }

  @Test
  void shouldReportWhenRecordEntersTheKernelLog() throws IOException {
    try (var agent = start()) {
      await("ready", () -> get(agent, "/readyz").statusCode() == 200);
      for (int gpu = 2; gpu < 7; gpu++) {
        var name = FAULT.replace("3b", "0" + gpu);
        kmsg("4," + gpu + ",2000,-;" + BUS.replace("3b", "0" + gpu));
        await(
            "the fault", () -> crud.client.resources(NodeFault.class).withName(name).get() != null);
      }
      await("its count", () -> get(agent, "/metrics").body().contains("kmsg_records_total 6.0"));
      assertThat(get(agent, "/metrics").body())
          .contains("faults_total{code=\"XID-79\"} 5.0")
          .contains("verdicts_total{source=\"xid\",verdict=\"fence\"} 5.0")
          .contains("rekindle_agent_kmsg_lost_total 0.0")
          .contains("rekindle_agent_kmsg_malformed_total 0.0")
          .contains("rekindle_agent_rank_reports_total 0.0");
      assertThat(get(agent, "/livez").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void shouldCountOnceWhenAgentIsStartedAgain() throws IOException {
    kmsg("4,2,2000,-;" + BUS);
    try (var agent = start()) {
      await("the fault", this::faultThere);
      await("counted", () -> get(agent, "/metrics").body().contains("kmsg_records_total 2.0"));
    }
    try (var agent = start()) {
      kmsg("6,3,3000,-;harmless");
      await("the next record", () -> get(agent, "/metrics").body().contains("records_total 1.0"));
    }
    var status = crud.client.resources(NodeFault.class).withName(FAULT).get().getStatus();
    assertThat(status.count()).isEqualTo(1);
  }

  @Test
  void shouldFollowPodsOfThisNodeOnlyWhenTheyComeAndGo() throws IOException {
    job();
    try (var agent = start()) {
      await("ready", () -> get(agent, "/readyz").statusCode() == 200);
      await("a watch", () -> crud.requests.stream().anyMatch(r -> r.contains("watch=true")));
      assertThat(crud.requests)
          .filteredOn(request -> request.contains("/pods"))
          .allMatch(request -> request.contains("fieldSelector=spec.nodeName%3Dnode-1"))
          .allMatch(request -> request.contains("operator-name%3Dpytorchjob-controller"));
      var mine = pod("job-master-0", "node-1");
      var logs =
          Files.createDirectories(
              directory
                  .resolve("podlogs")
                  .resolve("team_job-master-0_" + mine.getMetadata().getUid())
                  .resolve("pytorch"));
      Files.writeString(logs.resolve("0.log"), Instant.now() + " stdout F step 7 loss 1.0\n");
      var reports = crud.client.resources(RankReport.class).inNamespace("team");
      await(
          "the report with its step",
          () ->
              reports.list().getItems().stream()
                  .anyMatch(
                      r ->
                          r.getStatus() != null
                              && Long.valueOf(7).equals(r.getStatus().lastStep())));
      assertThat(reports.list().getItems()).hasSize(1);
      crud.client.resource(mine).delete();
      await("forgotten", () -> get(agent, "/metrics").body().contains("followed_pods 0.0"));
    }
  }

  @Test
  void shouldSayNotReadyAndContinueWhenThereIsNoKernelLog() throws IOException {
    Files.delete(directory.resolve("kmsg"));
    try (var agent = start()) {
      await("the pods", () -> get(agent, "/readyz").body().contains("kernel log"));
      assertThat(get(agent, "/readyz").statusCode()).isEqualTo(503);
      assertThat(get(agent, "/livez").statusCode()).isEqualTo(200);
      kmsg("4,2,2000,-;" + BUS);
      await("the fault", this::faultThere);
    }
  }

  @Test
  void shouldReportAfterAllWhenCrdIsInstalledLate() throws IOException {
    crud.refuse = request -> request.contains("rekindle.dev") ? 404 : 0;
    try (var agent = start()) {
      kmsg("4,2,2000,-;" + BUS);
      await(
          "refusals",
          () -> get(agent, "/metrics").body().contains("failures_total{kind=\"NodeFault\"} 2.0"));
      assertThat(get(agent, "/metrics").body()).contains("rekindle_agent_kmsg_records_total 1.0");
      assertThat(get(agent, "/livez").statusCode()).isEqualTo(200);
      crud.refuse = request -> 0;
      await("the fault", this::faultThere);
      await("counted", () -> get(agent, "/metrics").body().contains("kmsg_records_total 2.0"));
    }
  }

  @Test
  void shouldBecomeReadyWhenApiServerFailsAtFirst() throws IOException {
    crud.refuse = request -> 500;
    try (var agent = start()) {
      await("refusals", () -> crud.requests.size() > 2);
      assertThat(get(agent, "/readyz").body()).contains("pods of this node");
      assertThat(get(agent, "/livez").statusCode()).isEqualTo(200);
      crud.refuse = request -> 0;
      await("ready", () -> get(agent, "/readyz").statusCode() == 200);
    }
  }

  @Test
  void shouldDistinguishFinishedPodsFromUnknownOnes() {
    var pod = pod("job-master-0", "node-1");
    assertThat(TrainingPod.of(pod).orElseThrow().finished()).isFalse();
    for (var phase : new String[] {"Running", "Pending", "Unknown"}) {
      assertThat(TrainingPod.of(inPhase(pod, phase)).orElseThrow().finished()).isFalse();
    }
    assertThat(TrainingPod.of(inPhase(pod, "Failed")).orElseThrow().finished()).isTrue();
    assertThat(TrainingPod.of(inPhase(pod, "Succeeded")).orElseThrow().finished()).isTrue();
    assertThat(TrainingPod.of(new Pod())).isEmpty();
  }

  private static Pod inPhase(Pod pod, String phase) {
    return new PodBuilder(pod).withNewStatus().withPhase(phase).endStatus().build();
  }
}
