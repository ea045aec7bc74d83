package dev.rekindle.agent.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.agent.faults.RulesReloader;
import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.NodeFaultStatus;
import dev.rekindle.detect.node.KubeletDevices;
import dev.rekindle.detect.nvml.StandIn;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.junit.jupiter.api.Test;

/** GPUs, ports, and the rules by which their faults are judged. */
class AgentDevicesTest extends AgentFixture {
  @Test
  void shouldWriteWhatGpusAndPortsShowAndWhenItIsGone() throws IOException, InterruptedException {
    var driver = new StandIn(directory);
    driver.say("count", 1).say("failed", 1);
    driver.install(1);
    var port =
        Files.createDirectories(directory.resolve("sys/class/infiniband/mlx5_0/ports/1/counters"));
    Files.writeString(port.resolveSibling("state"), "4: ACTIVE\n");
    Files.writeString(port.resolve("link_downed"), "1\n");
    try (var agent = start()) {
      await(
          "NVML", () -> get(agent, "/metrics").body().contains("nvml_state{state=\"reading\"} 1"));
      var faults = crud.client.resources(NodeFault.class);
      var gpu = faults.withName("node-1.0000-3b-00.nvml-row-remap-failed");
      await("the GPU's fault", () -> gpu.get() != null && gpu.get().getStatus() != null);
      assertThat(gpu.get().getStatus().state()).isEqualTo(NodeFaultStatus.State.ACTIVE);
      await("a look", () -> get(agent, "/metrics").body().contains("rekindle_agent_nic_ports 1.0"));
      Files.writeString(port.resolve("link_downed"), "2\n");
      await(
          "the port's fault",
          () -> faults.withName("node-1.mlx5-0-1.nic-link-downed").get() != null);
      driver.say("failed", 0);
      await("the clearance", () -> gpu.get().getStatus().state() == NodeFaultStatus.State.CLEARED);
      assertThat(gpu.get().getStatus().clearedBy()).isEqualTo("probe");
      assertThat(get(agent, "/readyz").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void shouldNameThePodWhoseSliceOfAGpuWasHit() throws IOException, InterruptedException {
    var driver = new StandIn(directory);
    driver.say("count", 1).say("slices", 2);
    driver.install(1);
    job();
    try (var agent = start()) {
      await(
          "NVML", () -> get(agent, "/metrics").body().contains("nvml_state{state=\"reading\"} 1"));
      for (var slice : List.of("0-0", "0-1")) {
        pod(
            "job-worker-" + slice,
            "node-1",
            new PodStatusBuilder()
                .addNewContainerStatus()
                .withName("pytorch")
                .addNewAllocatedResourcesStatus()
                .withName("nvidia.com/mig-1g.10gb")
                .addNewResource("Healthy", null, "MIG-" + slice)
                .endAllocatedResourcesStatus()
                .endContainerStatus()
                .build());
      }
      await("pods", () -> get(agent, "/metrics").body().contains("followed_pods 2.0"));
      kmsg("4,2,2000,-;NVRM: Xid (PCI:0000:3b:00 GPU-I:08 GPU-CI:01): 119, Timeout after 6s");
      assertThat(incident("119").pod()).isEqualTo("job-worker-0-1");
      assertThat(incident("119").unit()).isEqualTo("MIG 8/1");
      // A pod that does not say, of a cluster whose kubelet does not either.
      driver.say("slices", 3);
      var silent = pod("job-worker-silent", "node-1");
      var kubelet = directory.resolve("proc/1/root").resolve(KubeletDevices.FILE);
      Files.createDirectories(kubelet.resolveSibling("sockets"));
      Files.writeString(
          kubelet,
          "{\"Data\":{\"PodDeviceEntries\":[{\"PodUID\":\"%s\",\"DeviceIDs\":{\"0\":[\"MIG-0-2\"]}}]}}"
              .formatted(silent.getMetadata().getUid()));
      await("pods", () -> get(agent, "/metrics").body().contains("followed_pods 3.0"));
      var polls = polls(agent);
      await("two polls", () -> polls(agent) > polls + 1);
      kmsg("4,3,3000,-;NVRM: Xid (PCI:0000:3b:00 GPU-I:09 GPU-CI:02): 120, Timeout after 6s");
      assertThat(incident("120").pod()).isEqualTo("job-worker-silent");
    }
  }

  private NodeFaultStatus.Incident incident(String xid) {
    var fault = crud.client.resources(NodeFault.class).withName("node-1.0000-3b-00.xid-" + xid);
    await("XID " + xid, () -> fault.get() != null && fault.get().getStatus() != null);
    return fault.get().getStatus().incidents().getFirst();
  }

  private double polls(Agent agent) {
    return get(agent, "/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith("rekindle_agent_nvml_polls_total "))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' ') + 1)))
        .sum();
  }

  @Test
  void shouldReportOnePortWhereLogAndPortShowIt() throws IOException {
    var sys = directory.resolve("sys");
    var card = Files.createDirectories(sys.resolve("devices/0000:3b:00.1/infiniband/mlx5_1"));
    Files.createSymbolicLink(card.resolve("device"), sys.resolve("devices/0000:3b:00.1"));
    var port = Files.createDirectories(card.resolve("ports/1/counters"));
    Files.writeString(port.resolveSibling("state"), "4: ACTIVE\n");
    Files.writeString(port.resolve("link_downed"), "1\n");
    Files.createDirectories(sys.resolve("class/infiniband"));
    Files.createSymbolicLink(sys.resolve("class/infiniband/mlx5_1"), card);
    kmsg(
        "4,2,2000,-;mlx5_core 0000:3b:00.1: poll_health:825: device's health compromised - reached"
            + " miss count.");
    try (var agent = start()) {
      var faults = crud.client.resources(NodeFault.class);
      await("a look", () -> get(agent, "/metrics").body().contains("rekindle_agent_nic_ports 1.0"));
      Files.writeString(port.resolve("link_downed"), "2\n");
      await("both faults", () -> faults.list().getItems().size() == 2);
      assertThat(faults.list().getItems())
          .extracting(fault -> fault.getSpec().componentId() + " " + fault.getSpec().code())
          .containsExactlyInAnyOrder("mlx5_1/1 MLX5-HEALTH-LOST", "mlx5_1/1 NIC-LINK-DOWNED");
    }
  }

  /** As a kubelet swaps the files of a ConfigMap: all at once, by a link. */
  private void mount(String version, String rules) throws IOException {
    var mount = Files.createDirectories(directory.resolve("rules"));
    var data = Files.createDirectories(mount.resolve(".." + version));
    Files.writeString(data.resolve("rules.yaml"), rules);
    var next = Files.createSymbolicLink(mount.resolve("..data_tmp"), data.getFileName());
    Files.move(next, mount.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
    if (Files.notExists(mount.resolve("rules.yaml"), LinkOption.NOFOLLOW_LINKS)) {
      Files.createSymbolicLink(mount.resolve("rules.yaml"), Path.of("..data/rules.yaml"));
    }
    ahead = ahead.plus(RulesReloader.EVERY);
  }

  /** What a row that waits for its remap means to the agent by now. */
  private FenceGuidance remap(int gpu) throws IOException {
    kmsg("4,%d,2000,-;NVRM: Xid (PCI:0000:0%d:00): 63, Row Remapper: New row".formatted(gpu, gpu));
    var fault =
        crud.client.resources(NodeFault.class).withName("node-1.0000-0" + gpu + "-00.xid-63");
    await("the fault of GPU " + gpu, () -> fault.get() != null);
    return fault.get().getSpec().fence();
  }

  @Test
  void shouldJudgeByOtherRulesOnceTheirMountIsSwappedAndNotByWrongOnes() throws IOException {
    var fence =
        "rules:\n- {name: mine, xid: [63], verdict: fence, action: reset_gpu, because: at once}\n";
    mount("1", "");
    try (var agent = start()) {
      assertThat(remap(2)).isEqualTo(FenceGuidance.THRESHOLD);
      mount("2", fence);
      await("other rules", () -> get(agent, "/metrics").body().contains("rules_taken_total 1.0"));
      assertThat(remap(3)).isEqualTo(FenceGuidance.ALWAYS);
      mount("3", fence.replace("verdict: fence", "verdict: burn"));
      await("a refusal", () -> get(agent, "/metrics").body().contains("rules_refused_total 1.0"));
      assertThat(remap(4)).as("the last good rules stay").isEqualTo(FenceGuidance.ALWAYS);
      mount("4", "");
      await("ours again", () -> get(agent, "/metrics").body().contains("rules_taken_total 2.0"));
      assertThat(remap(5)).isEqualTo(FenceGuidance.THRESHOLD);
      assertThat(get(agent, "/metrics").body()).contains("rules_refused_total 1.0");
    }
  }
}
