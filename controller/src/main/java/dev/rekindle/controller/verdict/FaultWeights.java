package dev.rekindle.controller.verdict;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.cluster.FaultView;
import dev.rekindle.controller.cluster.FaultView.Confidence;
import dev.rekindle.controller.cluster.FaultView.Incident;
import dev.rekindle.controller.cluster.FaultView.Weight;
import dev.rekindle.controller.cluster.NodeView;
import dev.rekindle.controller.cluster.Policy;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
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
 *   <li>One that fences only when it repeats: the same device hurting different jobs is hardware;
 *       the same job hurt on different devices by a code that a program can cause is its program,
 *       and says nothing about the device. A burst is weighed once it is over, when its root is
 *       known.
 *   <li>A reboot clears what a reboot or a reset repairs, once the node has been Ready for a while
 *       without the fault. What has come back after two reboots is not cleared by a third, and what
 *       is to be replaced never is.
 *   <li>Silence clears nothing: no rule asks how long ago the last record was.
 * </ul>
 */
final class FaultWeights {
  /** Incidents further apart than this have nothing to do with each other. */
  private static final Duration WINDOW = Duration.ofHours(24);

  /** So many bursts of a code that no program causes are hardware, whoever was hit. */
  private static final int MANY = 5;

  /** Seen in so many boots, two reboots have not helped. */
  private static final int BOOTS = 3;

  /** What a reboot repairs, in the words of the XID catalogue. */
  private static final Set<String> REBOOT_REPAIRS =
      Set.of("reboot_node", "reset_gpu", "drain_and_reset", "restart_job");

  /** A contained memory error ends one process, and yet no program causes it. */
  private static final Set<String> NOT_BY_PROGRAMS = Set.of("XID-94");

  /** A device plugin marks devices for harmless codes as well: a witness, and no proof. */
  private static final Set<String> NO_PROOF = Set.of("device-plugin");

  private static final int MAX_WITNESSES = 4;

  private static final String NOT_AGAIN =
      "came back after two reboots: drain the node and have the part replaced";

  private FaultWeights() {}

  /**
   * Weighs a fault.
   *
   * @param fault one of the faults of the snapshot
   */
  static Weight weigh(FaultView fault, NodeSnapshot s, Policy policy, Instant now) {
    if (!fault.active()) {
      return stubborn(fault) && fault.clearedBy().equals("reboot")
          ? light(NOT_AGAIN)
          : light("cleared" + (fault.clearedBy().isEmpty() ? "" : " by " + fault.clearedBy()));
    }
    if (fault.fence() == FenceGuidance.NEVER) {
      return light("the process dies of it, the hardware is not in question");
    }
    Weight weight =
        fault.fence() == FenceGuidance.ALWAYS
            ? heavy(fault, s, "fences by itself", false)
            : threshold(fault, s, policy, now);
    return weight.fences() ? unlessRebooted(weight, fault, s.node(), policy, now) : weight;
  }

  /** Whether it has outlived two reboots: no further one is believed. */
  static boolean stubborn(FaultView fault) {
    Set<String> boots = new HashSet<>();
    fault.incidents().stream().map(Incident::bootId).filter(b -> !b.isEmpty()).forEach(boots::add);
    if (!fault.bootId().isEmpty()) {
      boots.add(fault.bootId());
    }
    return boots.size() >= BOOTS;
  }

  /** Whether programs are known to cause it. */
  static boolean byPrograms(FaultView fault) {
    return fault.fence() != FenceGuidance.ALWAYS
        && fault.action().equals("restart_job")
        && !NOT_BY_PROGRAMS.contains(fault.code());
  }

  private static Weight unlessRebooted(
      Weight weight, FaultView fault, @Nullable NodeView node, Policy policy, Instant now) {
    Optional<Instant> back = node == null ? Optional.empty() : back(fault, node);
    if (node == null || back.isEmpty()) {
      return weight;
    }
    if (!REBOOT_REPAIRS.contains(fault.action())) {
      return because(weight, "no reboot repairs it (%s)".formatted(fault.action()), null);
    }
    if (stubborn(fault)) {
      return because(weight, NOT_AGAIN, null);
    }
    if (!node.fencedByUs()) {
      // What was not fenced then is no reason now.
      return light("cleared by a reboot");
    }
    if (node.readiness() != NodeView.Readiness.READY) {
      return because(weight, "rebooted, and not Ready yet", null);
    }
    Instant settled = back.get().plus(policy.settle());
    return now.isBefore(settled)
        ? because(weight, "rebooted, and Ready not long enough to count", settled)
        : light("cleared by a reboot");
  }

  /**
   * Since when the node is back from a reboot that came after the fault; empty where it is not, as
   * far as anybody can tell. The boot that it reports may be the older one, since its status lags
   * behind its kernel: it is the newer one where it was reported after the fault was seen, or where
   * Ready has changed since. A kubelet may go through a reboot without ever saying NotReady.
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

  private static Weight threshold(FaultView fault, NodeSnapshot s, Policy policy, Instant now) {
    List<Incident> over =
        fault.incidents().stream()
            .filter(i -> !now.isBefore(i.lastSeen().plus(policy.burst())))
            .toList();
    boolean byPrograms = byPrograms(fault);
    Set<String> own = byPrograms ? hurtElsewhere(fault, s) : Set.of();
    List<Incident> hardware = over.stream().filter(i -> !own.contains(i.jobUid())).toList();
    Optional<Weight> found = repeated(fault, s, hardware, byPrograms);
    if (found.isPresent()) {
      return found.get();
    }
    if (over.size() < fault.incidents().size()) {
      Instant last = fault.incidents().getLast().lastSeen();
      return new Weight(
          false, Confidence.LOW, List.of(), "the burst is not over", last.plus(policy.burst()));
    }
    if (!own.isEmpty() && hardware.isEmpty()) {
      return light("the same job met it on other devices too: its program, and no reason to fence");
    }
    return new Weight(
        false, Confidence.LOW, witnesses(fault, s), "has hurt no two jobs on this device", null);
  }

  private static Optional<Weight> repeated(
      FaultView fault, NodeSnapshot s, List<Incident> hardware, boolean byPrograms) {
    boolean sameUnit = mostOfOneUnit(hardware);
    if (differentJobs(hardware)) {
      return Optional.of(heavy(fault, s, "has hurt different jobs on this device", sameUnit));
    }
    if (byPrograms) {
      return Optional.empty();
    }
    if (others(fault, s).anyMatch(f -> !NO_PROOF.contains(f.detector()))
        && !NO_PROOF.contains(fault.detector())) {
      return Optional.of(heavy(fault, s, "two detectors see it", sameUnit));
    }
    return within(hardware, MANY)
        ? Optional.of(heavy(fault, s, "%d bursts within a day".formatted(MANY), sameUnit))
        : Optional.empty();
  }

  /** Jobs hit by this fault that the same code has hit on another device as well. */
  private static Set<String> hurtElsewhere(FaultView fault, NodeSnapshot s) {
    Set<String> jobs = new HashSet<>();
    Stream.concat(s.faults().stream(), s.elsewhere().stream())
        .filter(f -> f.code().equals(fault.code()))
        .filter(f -> !(f.node().equals(fault.node()) && f.component().equals(fault.component())))
        .flatMap(f -> f.incidents().stream())
        .filter(i -> !i.jobUid().isEmpty())
        .forEach(
            there ->
                fault.incidents().stream()
                    .filter(i -> i.jobUid().equals(there.jobUid()) && near(i, there))
                    .forEach(i -> jobs.add(i.jobUid())));
    return jobs;
  }

  private static boolean differentJobs(List<Incident> incidents) {
    return incidents.stream()
        .anyMatch(
            a ->
                !a.jobUid().isEmpty()
                    && incidents.stream()
                        .anyMatch(
                            b ->
                                !b.jobUid().isEmpty()
                                    && !b.jobUid().equals(a.jobUid())
                                    && near(a, b)));
  }

  private static boolean near(Incident a, Incident b) {
    return Duration.between(a.lastSeen(), b.lastSeen()).abs().compareTo(WINDOW) <= 0;
  }

  private static boolean within(List<Incident> incidents, int many) {
    for (int i = many - 1; i < incidents.size(); i++) {
      if (near(incidents.get(i - many + 1), incidents.get(i))) {
        return true;
      }
    }
    return false;
  }

  private static boolean mostOfOneUnit(List<Incident> incidents) {
    return incidents.size() > 1
        && !incidents.getFirst().unit().isEmpty()
        && incidents.stream().allMatch(i -> i.unit().equals(incidents.getFirst().unit()));
  }

  private static Weight heavy(FaultView fault, NodeSnapshot s, String why, boolean sameUnit) {
    boolean second = others(fault, s).findAny().isPresent();
    return new Weight(
        true,
        second || sameUnit ? Confidence.HIGH : Confidence.MEDIUM,
        witnesses(fault, s),
        sameUnit ? why + ", each time in the same part of it" : why,
        null);
  }

  /** What other detectors say about the same thing at this time. */
  private static Stream<FaultView> others(FaultView fault, NodeSnapshot s) {
    return s.faults().stream()
        .filter(f -> f.active() && f.fence() != FenceGuidance.NEVER && !byPrograms(f))
        .filter(f -> f.node().equals(fault.node()) && f.component().equals(fault.component()))
        .filter(f -> !f.detector().isEmpty() && !f.detector().equals(fault.detector()));
  }

  private static List<String> witnesses(FaultView fault, NodeSnapshot s) {
    TreeSet<String> others = new TreeSet<>();
    others(fault, s).map(FaultWeights::witness).forEach(others::add);
    return Stream.concat(Stream.of(witness(fault)), others.stream()).limit(MAX_WITNESSES).toList();
  }

  private static String witness(FaultView fault) {
    return fault.detector().isEmpty() ? fault.code() : fault.detector() + " " + fault.code();
  }

  private static Weight light(String reason) {
    return new Weight(false, Confidence.LOW, List.of(), reason, null);
  }

  private static Weight because(Weight w, String reason, @Nullable Instant until) {
    return new Weight(w.fences(), w.confidence(), w.witnesses(), w.reason() + "; " + reason, until);
  }
}
