package dev.rekindle.page;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.FormerNetwork;
import dev.rekindle.api.FormerRun;
import dev.rekindle.api.JobRef;
import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultStatus;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Evidence;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RestartWay;
import dev.rekindle.api.TimelineEntry;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** Recoveries and faults to make pages of. */
final class Samples {
  static final Instant T0 = Instant.parse("2026-03-01T10:00:00Z");

  private Samples() {}

  static Instant at(double seconds) {
    return T0.plusMillis((long) (seconds * 1000));
  }

  static TimelineEntry entry(RecoveryPhase phase, double seconds, String detail) {
    return new TimelineEntry(phase, at(seconds), detail);
  }

  static Recovery recovery(String name, RecoveryStatus status) {
    Recovery recovery = new Recovery();
    recovery.setMetadata(new ObjectMetaBuilder().withNamespace("ml").withName(name).build());
    recovery.setSpec(new RecoverySpec(JobRef.pyTorchJob("llm", "uid-1"), T0, null));
    recovery.setStatus(status);
    return recovery;
  }

  /** One that went well, in place. */
  static Recovery recovered() {
    return recovery(
        "llm-r1",
        new RecoveryStatus(
            RecoveryPhase.RECOVERED,
            at(12),
            1,
            null,
            cause("NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus."),
            new Plan(
                RestartWay.IN_PLACE,
                "23 of 24 pods stay where they are",
                List.of("node-06"),
                List.of("node-05", "node-06"),
                Map.of(),
                new PinnedCheckpoint(
                    CheckpointVerdict.VALID, "/ckpt/step-150.pt", 150L, "L3", "newest of 3")),
            new Outcome(150L, 151L, 10L, 2304.0, 12.0, Map.of()),
            List.of(
                entry(RecoveryPhase.DETECTED, 0, "XID-79 on GPU 0000:3b:00"),
                entry(RecoveryPhase.DRAINING, 1, "restart in place"),
                entry(RecoveryPhase.PLANNING, 3, "23 pods frozen"),
                entry(RecoveryPhase.RESUMING, 4, "resume from step 150"),
                entry(RecoveryPhase.VERIFYING, 6, "containers restarted"),
                entry(RecoveryPhase.RECOVERED, 12, "trains again from step 151")),
            List.of()));
  }

  /** The same, of a gang that was on RDMA and came back on TCP. */
  static Recovery onTcp() {
    RecoveryStatus status = recovered().getStatus();
    FormerRun before = new FormerRun(T0, T0, null, true, new FormerNetwork(true, 8, true, 1.5));
    return recovery(
        "llm-r4",
        status
            .withCause(Objects.requireNonNull(status.cause()).withBefore(before))
            .withConditions(
                List.of(
                    new ConditionBuilder()
                        .withType("RdmaRestored")
                        .withStatus("False")
                        .withReason("NcclSocketFallback")
                        .withMessage("NCCL of rank worker/0 sends over TCP")
                        .build())));
  }

  /** One that waits for a person. */
  static Recovery awaitingApproval() {
    return recovery(
        "llm-r2",
        new RecoveryStatus(
            RecoveryPhase.HELD,
            at(1),
            0,
            RecoveryPhase.FENCING,
            cause("line"),
            null,
            null,
            List.of(
                entry(RecoveryPhase.DETECTED, 0, "XID-79"),
                entry(RecoveryPhase.HELD, 1, "AwaitingApproval: set spec.approved")),
            List.of(condition("AwaitingApproval", "the job asks for a person"))));
  }

  /** One that a person has approved too long ago. */
  static Recovery approvalExpired() {
    return recovery(
        "llm-r2",
        Objects.requireNonNull(awaitingApproval().getStatus())
            .withConditions(List.of(condition("ApprovalExpired", "to approve again"))));
  }

  static Condition condition(String reason, String message) {
    return new ConditionBuilder()
        .withType("Progressing")
        .withStatus("False")
        .withReason(reason)
        .withMessage(message)
        .build();
  }

  static Cause cause(String evidence) {
    return new Cause(
        "XID-79",
        "XID-79 on GPU 0000:3b:00 of node node-06",
        List.of(Evidence.onNode("node-06", evidence)),
        List.of("node-06"),
        List.of(),
        List.of("llm-worker-5"),
        160L);
  }

  static NodeFault fault(String node, String code, double seconds, NodeFaultStatus.State state) {
    NodeFault fault = new NodeFault();
    fault.setMetadata(
        new ObjectMetaBuilder()
            .withName(node + ".0000-3b-00." + code.toLowerCase(Locale.ROOT))
            .build());
    fault.setSpec(
        new NodeFaultSpec(
            node,
            NodeFaultSpec.ComponentType.GPU,
            "0000:3b:00",
            code,
            "kmsg",
            NodeFaultSpec.FenceGuidance.ALWAYS,
            "reboot_node",
            "boot",
            at(seconds),
            "Xid 79"));
    fault.setStatus(
        new NodeFaultStatus(state, 2, at(seconds), "boot", 1, "Xid 79", List.of(), "", null));
    return fault;
  }

  static Recovery withTimeline(RecoveryPhase phase, TimelineEntry... entries) {
    return recovery(
        "llm-r3",
        new RecoveryStatus(
            phase, T0, 1, null, cause("line"), null, null, Stream.of(entries).toList(), List.of()));
  }
}
