package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RankReport;
import dev.rekindle.api.RankReportSpec;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartOrder;
import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.api.RestartReport;
import dev.rekindle.api.RestartReportSpec;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** What controller and agents may do: enough for all of the suite, and not much more. */
@Order(Integer.MAX_VALUE - 1)
@OnTestbed
class PermissionsIT {
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

  @Test
  void shouldNeverHaveBeenRefusedByTheApiServer(Scene scene) {
    List<LogLine> all = scene.testbed().systemLogs().since(Instant.EPOCH);
    assertThat(all).as("the logs were followed").isNotEmpty();
    assertThat(all)
        .filteredOn(l -> l.text().toLowerCase(Locale.ROOT).contains("forbidden"))
        .as("refusals")
        .isEmpty();
  }

  /** Jobs of the suite have fields, names and paths of all kinds, some of them beyond ASCII. */
  @Test
  void shouldNeverHaveLostAWatchToTheContentOfAnEvent(Scene scene) {
    assertThat(scene.testbed().systemLogs().since(Instant.EPOCH))
        .filteredOn(
            l ->
                l.text().contains("exception processing watch event")
                    || l.text().contains("deserialize watch event"))
        .as("watches that an event has ended")
        .isEmpty();
  }

  /** A node that was taken over must not be able to get others fenced. */
  @Test
  void shouldLetAnAgentSpeakForItsOwnNodeOnly(Scene scene) {
    try (KubernetesClient thief = StolenToken.ofAgent(scene, "node-1")) {
      assertThat(thief.resource(fault("node-1")).dryRun().create().getSpec().node())
          .isEqualTo("node-1");
      assertThatThrownBy(() -> thief.resource(fault("node-2")).dryRun().create())
          .isInstanceOf(KubernetesClientException.class)
          .hasMessageContaining("only about its own node");
    }
  }

  /** What the controller reads off the API is its own to write; an agent that could would fence. */
  @Test
  void shouldLetOnlyTheControllerWriteWhatItsDetectorsFind(Scene scene) {
    assertThatThrownBy(() -> scene.client().resource(found("node-1")).dryRun().create())
        .as("an administrator")
        .isInstanceOf(KubernetesClientException.class)
        .hasMessageContaining("only Rekindle's controller");
    try (KubernetesClient agent = StolenToken.ofAgent(scene, "node-1")) {
      assertThatThrownBy(() -> agent.resource(found("node-1")).dryRun().create())
          .as("the agent of that node")
          .isInstanceOf(KubernetesClientException.class)
          .hasMessageContaining("only Rekindle's controller");
    }
    try (KubernetesClient controller = StolenToken.ofController(scene)) {
      assertThat(controller.resource(found("node-1")).dryRun().create().getSpec().detector())
          .isEqualTo("condition");
      assertThat(controller.leases().inNamespace("kube-node-lease").withName("node-1").get())
          .as("the lease of a node")
          .isNotNull();
      refused(() -> controller.leases().inNamespace("kube-node-lease").list());
      assertThat(scene.client().resource(fault("node-1")).dryRun().create().getSpec().detector())
          .as("an administrator and a fault of an agent's")
          .isEqualTo("kmsg");
    }
  }

  private static NodeFault found(String node) {
    NodeFault fault = new NodeFault();
    // Labelled as an agent must, so that nothing but its detector is wrong with it.
    fault.setMetadata(
        new ObjectMetaBuilder()
            .withName(node + ".node.cond-gpumissing")
            .addToLabels("rekindle.dev/node", node)
            .build());
    fault.setSpec(
        new NodeFaultSpec(
            node,
            ComponentType.NODE,
            "",
            "COND-GPUMISSING",
            "condition",
            FenceGuidance.ALWAYS,
            "investigate",
            "",
            Instant.now(),
            "made up"));
    return fault;
  }

  @Test
  void shouldKeepControllerAndAgentFromWhatIsNoneOfTheirBusiness(Scene scene) {
    for (boolean agent : List.of(true, false)) {
      try (KubernetesClient client =
          agent ? StolenToken.ofAgent(scene, "") : StolenToken.ofController(scene)) {
        refused(() -> client.secrets().inNamespace(Testbed.NAMESPACE).list());
        refused(() -> client.nodes().withName("node-0").dryRun().delete());
        refused(() -> client.configMaps().inNamespace("kube-system").list());
      }
    }
    try (KubernetesClient agent = StolenToken.ofAgent(scene, "")) {
      refused(() -> agent.nodes().withName("node-0").dryRun().patch(MERGE, "{}"));
      refused(() -> agent.pods().inNamespace(Testbed.NAMESPACE).withName("any").dryRun().delete());
    }
  }

  /** A client that may give orders may kill processes on every node. */
  @Test
  void shouldLetOnlyTheControllerOrderARestart(Scene scene) {
    assertThatThrownBy(() -> scene.client().resource(order()).dryRun().create())
        .as("an administrator")
        .isInstanceOf(KubernetesClientException.class)
        .hasMessageContaining("only Rekindle's controller");
    try (KubernetesClient agent = StolenToken.ofAgent(scene, "node-1")) {
      refused(() -> agent.resource(order()).dryRun().create());
      assertThat(agent.resource(report("node-1")).dryRun().create().getSpec().node())
          .isEqualTo("node-1");
      assertThatThrownBy(() -> agent.resource(report("node-2")).dryRun().create())
          .isInstanceOf(KubernetesClientException.class)
          .hasMessageContaining("only about its own node");
    }
    try (KubernetesClient controller = StolenToken.ofController(scene)) {
      assertThat(controller.resource(order()).dryRun().create().getSpec().job()).isEqualTo("job");
      refused(() -> controller.resource(report("node-1")).dryRun().create());
    }
  }

  /** On the word of a report a gang counts as frozen, or as one that stalls. */
  @Test
  void shouldLetOnlyAgentsWriteReports(Scene scene) {
    for (HasMetadata report : List.of(report("node-1"), rank("node-1"))) {
      assertThatThrownBy(() -> scene.client().resource(report).dryRun().create())
          .as("an administrator and a %s", report.getKind())
          .isInstanceOf(KubernetesClientException.class)
          .hasMessageContaining("only Rekindle's agents");
      try (KubernetesClient agent = StolenToken.ofAgent(scene, "node-1")) {
        assertThat(agent.resource(report).dryRun().create().getKind()).isEqualTo(report.getKind());
      }
    }
  }

  private static RankReport rank(String node) {
    RankReport report = new RankReport();
    report.setMetadata(
        new ObjectMetaBuilder()
            .withNamespace(Testbed.NAMESPACE)
            .withName("made-up." + node)
            .build());
    report.setSpec(new RankReportSpec("made-up", "uid", node, "job"));
    return report;
  }

  private static RestartOrder order() {
    RestartOrder order = new RestartOrder();
    order.setMetadata(
        new ObjectMetaBuilder().withNamespace(Testbed.NAMESPACE).withName("job-r1-1").build());
    order.setSpec(
        new RestartOrderSpec(
            JobRef.pyTorchJob("job", "uid"),
            "job-r1",
            RestartInstruction.FREEZE,
            "",
            Instant.now()));
    return order;
  }

  private static RestartReport report(String node) {
    RestartReport report = new RestartReport();
    report.setMetadata(
        new ObjectMetaBuilder()
            .withNamespace(Testbed.NAMESPACE)
            .withName("job-r1-1." + node)
            .build());
    report.setSpec(
        new RestartReportSpec(
            "job-r1-1", "uid", node, "job", null, "made up", List.of(), Instant.now()));
    return report;
  }

  private static void refused(Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            KubernetesClientException.class, e -> assertThat(e.getCode()).isEqualTo(403));
  }

  private static NodeFault fault(String node) {
    NodeFault fault = new NodeFault();
    fault.setMetadata(
        new ObjectMetaBuilder()
            .withName(node + ".0000-3b-00.xid-79")
            .addToLabels("rekindle.dev/node", node)
            .build());
    fault.setSpec(
        new NodeFaultSpec(
            node,
            ComponentType.GPU,
            "0000:3b:00",
            "XID-79",
            "kmsg",
            FenceGuidance.ALWAYS,
            "reboot_node",
            "boot",
            Instant.now(),
            "made up"));
    return fault;
  }
}
