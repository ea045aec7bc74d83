package dev.rekindle.controller.diagnosis;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RepairAction;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.FaultView.Assessment;
import dev.rekindle.controller.model.FaultView.Confidence;
import dev.rekindle.controller.model.FenceQuota;
import dev.rekindle.controller.model.NamedStalls;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.detect.weigh.Cause;
import dev.rekindle.detect.weigh.Sightings;
import dev.rekindle.detect.weigh.Weigher;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a fault comes to, beside everything else that is known.
 *
 * <ul>
 *   <li>One that fences by itself fences; a second detector that sees the same makes it surer.
 *   <li>One that fences only when it comes again: program or hardware, {@link Weigher} says.
 *   <li>One that no program can cause fences as well where a job waited for a device of its node at
 *       the same time ({@link NamedStalls}). The stall alone fences nothing.
 *   <li>A reboot clears what a reboot or a reset repairs, once the node has been Ready for a while
 *       without the fault. What has come back after two reboots is not cleared by a third, and what
 *       is to be replaced never is.
 *   <li>Silence clears nothing: no rule asks how long ago the last record was.
 * </ul>
 */
final class FaultAssessor {
  private static final int MAX_WITNESSES = 4;

  private static final String NOT_AGAIN =
      "came back after two reboots: drain the node and have the part replaced";

  private FaultAssessor() {}

  /**
   * Weighs a fault.
   *
   * @param fault one of the faults of the snapshot
   * @param sightings those of all of these
   */
  static Assessment weigh(
      FaultView fault, NodeSnapshot s, Sightings sightings, Policy policy, Instant now) {
    Weigher weigher = Weigher.ofNodes(policy.thresholds());
    if (!fault.active()) {
      return weigher.isStubborn(fault) && fault.clearedBy().equals("reboot")
          ? light(NOT_AGAIN)
          : light("cleared" + (fault.clearedBy().isEmpty() ? "" : " by " + fault.clearedBy()));
    }
    if (fault.fence() == FenceGuidance.NEVER) {
      return light("no reason to fence, however often it comes");
    }
    Assessment weight =
        fault.fence() == FenceGuidance.ALWAYS
            ? of(
                fault,
                s,
                new dev.rekindle.detect.weigh.Assessment(
                    true, false, "fences by itself", null, Set.of()))
            : of(
                fault,
                s,
                StallWitness.beside(fault, s)
                    .orElseGet(() -> weigher.weigh(fault, s.faults(), sightings, now)));
    Assessment stands =
        weight.fences() ? unlessRebooted(weight, fault, s.node(), policy, now) : weight;
    return stands.fences() ? withinQuota(stands, fault, s, policy, now) : stands;
  }

  /**
   * What rests on the programs of a namespace alone fences only so many nodes a day. A fence that
   * stands is not lifted for it, and a person who approves has seen it.
   */
  private static Assessment withinQuota(
      Assessment weight, FaultView fault, NodeSnapshot s, Policy policy, Instant now) {
    NodeView node = s.node();
    if (weight.namespaces().isEmpty()
        || (node != null && (node.fencedByUs() || node.approves(fault, policy.approval(), now)))) {
      return weight;
    }
    return new FenceQuota(weight.namespaces(), s.fencedFor(), policy.maxFencedPerNamespace())
        .passed(fault.node(), Map.of())
        .map(
            passed ->
                new Assessment(
                    false,
                    weight.confidence(),
                    weight.witnesses(),
                    "%s; a fence would pass %s".formatted(weight.reason(), passed),
                    weight.until(),
                    weight.namespaces(),
                    true))
        .orElse(weight);
  }

  /** Whether it has outlived so many reboots that no further one is believed. */
  static boolean stubborn(FaultView fault, Policy policy) {
    return Weigher.ofNodes(policy.thresholds()).isStubborn(fault);
  }

  /** Whether programs are known to cause it. */
  static boolean byPrograms(FaultView fault) {
    return Cause.isProgram(fault);
  }

  private static Assessment of(
      FaultView fault, NodeSnapshot s, dev.rekindle.detect.weigh.Assessment weight) {
    List<FaultView> others = weight.fences() ? others(fault, s).toList() : List.of();
    boolean proof = others.stream().anyMatch(Weigher::isProof);
    // A device plugin marks the device for errors of programs as well: for this one, maybe.
    boolean second = proof || (!others.isEmpty() && !byPrograms(fault));
    return new Assessment(
        weight.fences(),
        !weight.fences()
            ? Confidence.LOW
            : second || weight.sameUnit() ? Confidence.HIGH : Confidence.MEDIUM,
        weight.until() == null ? witnesses(fault, s) : List.of(),
        weight.sameUnit()
            ? weight.reason() + ", each time in the same part of it"
            : weight.reason(),
        weight.until(),
        proof ? Set.of() : weight.namespaces());
  }

  private static Assessment unlessRebooted(
      Assessment weight, FaultView fault, @Nullable NodeView node, Policy policy, Instant now) {
    Optional<Instant> back = node == null ? Optional.empty() : back(fault, node);
    if (node == null || back.isEmpty()) {
      return weight;
    }
    if (!isByReboot(fault)) {
      return because(weight, "no reboot repairs it (%s)".formatted(fault.action()), null);
    }
    if (stubborn(fault, policy)) {
      return because(weight, NOT_AGAIN, null);
    }
    if (!node.fencedByUs()) {
      // What was not fenced then is no reason now.
      return light("cleared by a reboot");
    }
    if (node.readiness() != NodeView.Readiness.READY) {
      return because(weight, "rebooted, and not Ready yet", null);
    }
    Instant settled = back.get().plus(policy.rebootSettle());
    return now.isBefore(settled)
        ? because(weight, "rebooted, and Ready not long enough to count", settled)
        : light("cleared by a reboot");
  }

  /**
   * Since when the node is back from a reboot that repairs the fault, as far as that is known;
   * empty where it is not. It stays fenced until it was Ready for {@code rebootSettleSeconds}.
   */
  static Optional<Instant> repaired(FaultView fault, @Nullable NodeView node, Policy policy) {
    return node == null || !isByReboot(fault) || stubborn(fault, policy)
        ? Optional.empty()
        : back(fault, node);
  }

  private static boolean isByReboot(FaultView fault) {
    return RepairAction.of(fault.action()).filter(RepairAction::isByReboot).isPresent();
  }

  /**
   * Since when the node is back from a reboot that came after the fault; empty where it is not, as
   * far as is known. The boot that it reports may be the older one, since its status lags behind
   * its kernel: it is the newer one where it was reported after the fault was seen, or where Ready
   * has changed since. A kubelet may go through a reboot without ever saying NotReady.
   */
  private static Optional<Instant> back(FaultView fault, NodeView node) {
    if (node.bootId().isEmpty()
        || fault.bootId().isEmpty()
        || node.bootId().equals(fault.bootId())) {
      return Optional.empty();
    }
    Instant seen = fault.lastSeen();
    return Stream.of(node.readinessSince(), node.bootSince())
        .filter(Objects::nonNull)
        .filter(time -> seen == null || time.isAfter(seen))
        .max(Instant::compareTo);
  }

  /** What other detectors say about the same thing at this time. */
  private static Stream<FaultView> others(FaultView fault, NodeSnapshot s) {
    return s.faults().stream().filter(f -> Weigher.isSecond(f, fault));
  }

  private static List<String> witnesses(FaultView fault, NodeSnapshot s) {
    TreeSet<String> others = new TreeSet<>();
    others(fault, s).map(FaultAssessor::witness).forEach(others::add);
    return Stream.concat(Stream.of(witness(fault)), others.stream()).limit(MAX_WITNESSES).toList();
  }

  private static String witness(FaultView fault) {
    return fault.detector().isEmpty() ? fault.code() : fault.detector() + " " + fault.code();
  }

  private static Assessment light(String reason) {
    return new Assessment(false, Confidence.LOW, List.of(), reason, null);
  }

  private static Assessment because(Assessment w, String reason, @Nullable Instant until) {
    return new Assessment(
        w.fences(),
        w.confidence(),
        w.witnesses(),
        w.reason() + "; " + reason,
        until,
        w.namespaces());
  }
}
