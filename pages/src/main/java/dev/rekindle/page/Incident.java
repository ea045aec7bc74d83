package dev.rekindle.page;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultStatus;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A recovery and what belongs to it.
 *
 * @param recovery the object
 * @param faults of the cluster; those that are not of this recovery are left out
 * @param now the present
 * @param pricing what GPUs cost
 */
public record Incident(Recovery recovery, List<NodeFault> faults, Instant now, Pricing pricing) {
  /** A fault so long before or after belongs to it: kernel logs are read late, nodes die early. */
  private static final Duration AROUND = Duration.ofMinutes(15);

  public Incident {
    Set<String> nodes = nodes(recovery);
    faults =
        faults.stream()
            .filter(f -> f.getSpec() != null && nodes.contains(f.getSpec().node()))
            .filter(f -> isOfItsTime(f, recovery, now))
            .toList();
  }

  /** One of which no price is known. */
  public Incident(Recovery recovery, List<NodeFault> faults, Instant now) {
    this(recovery, faults, now, Pricing.NONE);
  }

  String namespace() {
    return Optional.ofNullable(recovery.getMetadata().getNamespace()).orElse("");
  }

  String name() {
    return Optional.ofNullable(recovery.getMetadata().getName()).orElse("");
  }

  RecoverySpec spec() {
    RecoverySpec spec = recovery.getSpec();
    return spec == null ? new RecoverySpec(JobRef.pyTorchJob("", ""), null, null) : spec;
  }

  RecoveryStatus status() {
    return status(recovery);
  }

  /** When it was opened. */
  Instant began() {
    return began(recovery, now);
  }

  static RecoveryStatus status(Recovery recovery) {
    RecoveryStatus status = recovery.getStatus();
    return status == null
        ? new RecoveryStatus(null, null, 0, null, null, null, null, List.of(), List.of())
        : status;
  }

  static Instant began(Recovery recovery, Instant otherwise) {
    RecoveryStatus status = status(recovery);
    RecoverySpec spec = recovery.getSpec();
    if (spec != null && spec.detectedAt() != null) {
      return spec.detectedAt();
    }
    return status.timeline().isEmpty() ? otherwise : status.timeline().getFirst().time();
  }

  /** What its condition on the network says; empty where it has none. */
  static Optional<Condition> network(RecoveryStatus status) {
    return status.conditions().stream().filter(c -> "RdmaRestored".equals(c.getType())).findFirst();
  }

  /** Nodes that it blames, avoids or has fenced. */
  static Set<String> nodes(Recovery recovery) {
    RecoveryStatus status = status(recovery);
    Set<String> nodes = new LinkedHashSet<>();
    if (status.cause() != null) {
      nodes.addAll(status.cause().faultyNodes());
      nodes.addAll(status.cause().silentNodes());
    }
    if (status.plan() != null) {
      nodes.addAll(status.plan().excludedNodes());
    }
    return nodes;
  }

  private static boolean isOfItsTime(NodeFault fault, Recovery recovery, Instant now) {
    NodeFaultStatus status = fault.getStatus();
    Instant from = began(recovery, now).minus(AROUND);
    Instant until = ended(recovery, now).plus(AROUND);
    Instant first = fault.getSpec().firstSeen();
    Instant last = lastSeen(status, first);
    return (first == null || !first.isAfter(until)) && (last == null || !last.isBefore(from));
  }

  private static @Nullable Instant lastSeen(
      @Nullable NodeFaultStatus status, @Nullable Instant first) {
    return status == null || status.lastSeen() == null ? first : status.lastSeen();
  }

  private static Instant ended(Recovery recovery, Instant now) {
    RecoveryStatus status = status(recovery);
    boolean over = status.phase() != null && status.phase().isTerminal();
    return over && status.phaseSince() != null ? status.phaseSince() : now;
  }
}
