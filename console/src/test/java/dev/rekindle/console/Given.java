package dev.rekindle.console;

import dev.rekindle.api.CostPolicy;
import dev.rekindle.api.CostPolicy.ModelPrice;
import dev.rekindle.api.JobRef;
import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryPolicy;
import dev.rekindle.api.RecoveryPolicySpec;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Evidence;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.api.TimelineEntry;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Objects of the cluster. */
final class Given {
  static final Instant T0 = Instant.parse("2026-03-01T10:00:00Z");

  private Given() {}

  static Recovery recovery(String namespace, String name, RecoveryPhase phase, Instant at) {
    Recovery recovery = new Recovery();
    recovery.setMetadata(new ObjectMetaBuilder().withNamespace(namespace).withName(name).build());
    recovery.setSpec(new RecoverySpec(JobRef.pyTorchJob("llm", "uid"), at, null));
    recovery.setStatus(
        new RecoveryStatus(
            phase,
            at.plusSeconds(12),
            1,
            null,
            new Cause(
                "XID-79",
                "XID-79 on GPU 0000:3b:00 of node node-06",
                List.of(Evidence.onNode("node-06", "<script>document.title='owned'</script>")),
                List.of("node-06"),
                List.of(),
                List.of(),
                160L),
            null,
            new Outcome(150L, 151L, 10L, 2304.0, 12.0, Map.of()),
            List.of(
                new TimelineEntry(RecoveryPhase.DETECTED, at, "XID-79"),
                new TimelineEntry(RecoveryPhase.RESUMING, at.plusSeconds(4), "from step 150"),
                new TimelineEntry(phase, at.plusSeconds(12), "trains again")),
            List.of()));
    return recovery;
  }

  /** Paused, with a price for a model and one for all others. */
  static RecoveryPolicy policy() {
    RecoveryPolicy policy = new RecoveryPolicy();
    policy.setMetadata(new ObjectMetaBuilder().withName("default").build());
    policy.setSpec(
        new RecoveryPolicySpec(
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            true,
            null,
            new CostPolicy("EUR", 2.0, List.of(new ModelPrice("NVIDIA-H100", 3.0))),
            null));
    return policy;
  }

  /** The one that is at fault, by its label with a GPU of the dearer model. */
  static Node node() {
    return new NodeBuilder()
        .withNewMetadata()
        .withName("node-06")
        .withLabels(Map.of("nvidia.com/gpu.product", "NVIDIA-H100"))
        .endMetadata()
        .build();
  }

  static NodeFault fault() {
    NodeFault fault = new NodeFault();
    fault.setMetadata(new ObjectMetaBuilder().withName("node-06.xid-79").build());
    fault.setSpec(
        new NodeFaultSpec(
            "node-06",
            NodeFaultSpec.ComponentType.GPU,
            "0000:3b:00",
            "XID-79",
            "kmsg",
            NodeFaultSpec.FenceGuidance.ALWAYS,
            "reboot_node",
            "boot",
            T0,
            "Xid 79"));
    return fault;
  }
}
