package dev.rekindle.controller.diagnosis;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.diagnosis.NodeSnapshot.Tenant;
import dev.rekindle.controller.model.Annotations;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.FaultView.Assessment;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.NodeIncidentHistory;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.policy.RuledJob;
import dev.rekindle.detect.weigh.Sightings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Is a node faulty? And is one that we have fenced well again?
 *
 * <p>Guarantees: nothing but a fault of the hardware fences; a node whose cordon is not ours is
 * left alone; only nodes that carry pods of jobs that opted in are fenced, unless the policy says
 * otherwise; a Rekindle fence is lifted only when every fault that fences was cleared by something
 * that proves it gone.
 */
public final class NodeVerdicts {
  /** The policy that is asked about nodes. */
  public static final String POLICY = RuledJob.DEFAULT;

  private static final Comparator<FaultView> SUREST =
      Comparator.comparing((FaultView f) -> Objects.requireNonNull(f.weight()).confidence())
          .reversed()
          .thenComparing(FaultView::code)
          .thenComparing(FaultView::name);

  private NodeVerdicts() {}

  /** A mode, and the policy that it comes from. */
  private record Asked(Mode mode, String name, Policy policy) {}

  /** The faults of the node, weighed. */
  public static List<FaultView> weigh(NodeSnapshot s, Policy policy, Instant now) {
    Sightings sightings = Sightings.of(s.faults(), s.elsewhere());
    return s.faults().stream()
        .map(f -> f.withWeight(FaultAssessor.weigh(f, s, sightings, policy, now)))
        .toList();
  }

  /**
   * Decides. Pure: the same snapshot, policy and time give the same verdict.
   *
   * @param policy the one named {@link #POLICY}
   */
  public static NodeVerdict decide(NodeSnapshot s, Policy policy, Instant now) {
    NodeView node = s.node();
    if (node == null) {
      return new NodeVerdict.NoAction("no longer exists", null);
    }
    List<FaultView> faults = weigh(s, policy, now);
    Instant until = next(faults);
    List<FaultView> fencing = faults.stream().filter(FaultView::fences).sorted(SUREST).toList();
    if (fencing.isEmpty()) {
      return node.fencedByUs()
          ? release(node, faults, until, policy, now)
          : overQuota(s, faults, policy).orElseGet(() -> new NodeVerdict.NoAction("well", until));
    }
    if (node.leftToOthers()) {
      return new NodeVerdict.NoAction("left to " + node.leftTo(), until);
    }
    if (node.unschedulable()) {
      return new NodeVerdict.NoAction("fenced", until);
    }
    FaultView worst = fencing.getFirst();
    return asked(s, policy)
        .map(a -> fence(node, worst, fencing, a, now))
        .orElseGet(() -> new NodeVerdict.NoAction("carries no job that opted in", until));
  }

  private static NodeVerdict fence(
      NodeView node, FaultView worst, List<FaultView> fencing, Asked asked, Instant now) {
    if (asked.policy().paused() && asked.mode() != Mode.OBSERVE) {
      return new NodeVerdict.Paused(worst, reason(worst), asked.name());
    }
    Duration good = asked.policy().approval();
    boolean approved = fencing.stream().anyMatch(f -> node.approves(f, good, now));
    return asked.mode() == Mode.AUTO || (asked.mode() == Mode.APPROVE && approved)
        ? new NodeVerdict.Fence(
            worst, reason(worst), asked.policy(), namespaces(node, fencing, good, now))
        : new NodeVerdict.Suppressed(
            worst, reason(worst) + expired(node, fencing, good, now), asked.mode(), asked.name());
  }

  /** What is said where a person has approved too long ago. */
  private static String expired(
      NodeView node, List<FaultView> fencing, Duration good, Instant now) {
    boolean ofThese = fencing.stream().anyMatch(f -> f.name().equals(node.approvedFault()));
    return ofThese && node.approvalExpired(good, now)
        ? "; the approval of %s has expired: take the annotation off first"
            .formatted(node.approvedAt())
        : "";
  }

  /** What a quota alone withholds from a node that would be fenced. */
  private static Optional<NodeVerdict> overQuota(
      NodeSnapshot s, List<FaultView> faults, Policy policy) {
    NodeView node = Objects.requireNonNull(s.node());
    return node.leftToOthers() || node.unschedulable() || asked(s, policy).isEmpty()
        ? Optional.empty()
        : faults.stream()
            .filter(f -> Objects.requireNonNull(f.weight()).overQuota())
            .min(SUREST)
            .map(f -> new NodeVerdict.OverQuota(f, reason(f)));
  }

  /**
   * The namespaces whose programs are all there is to say for a fence; empty where one of the
   * faults is none of theirs, or where a person has approved of the fence: no quota withholds it.
   *
   * @param fencing weighed faults that fence
   * @param good how long an approval is good
   */
  public static Set<String> namespaces(
      @Nullable NodeView node, Collection<FaultView> fencing, Duration good, Instant now) {
    if (node != null && fencing.stream().anyMatch(f -> node.approves(f, good, now))) {
      return Set.of();
    }
    List<Set<String>> all =
        fencing.stream()
            .map(f -> f.weight() == null ? Set.<String>of() : f.weight().namespaces())
            .toList();
    return all.stream().anyMatch(Set::isEmpty)
        ? Set.of()
        : all.stream().flatMap(Set::stream).collect(Collectors.toUnmodifiableSet());
  }

  private static NodeVerdict release(
      NodeView node, List<FaultView> faults, @Nullable Instant until, Policy policy, Instant now) {
    Optional<FaultView> stubborn =
        faults.stream()
            .filter(f -> f.fence() != FenceGuidance.NEVER && f.clearedBy().equals("reboot"))
            .filter(f -> FaultAssessor.stubborn(f, policy))
            .findFirst();
    if (stubborn.isPresent()) {
      return new NodeVerdict.KeepFenced(
          "%s on %s %s"
              .formatted(
                  stubborn.get().code(),
                  stubborn.get().component(),
                  Objects.requireNonNull(stubborn.get().weight()).reason()));
    }
    if (policy.fenceLemons() && NodeIncidentHistory.lemon(node.incidents(), now)) {
      return new NodeVerdict.KeepFenced(
          "faulty %d times within %d days: have it inspected, then remove annotation %s"
              .formatted(
                  NodeIncidentHistory.LEMON,
                  NodeIncidentHistory.WINDOW.toDays(),
                  Annotations.INCIDENTS));
    }
    String why =
        faults.stream()
            .filter(f -> f.fence() != FenceGuidance.NEVER)
            .map(f -> f.code() + ": " + Objects.requireNonNull(f.weight()).reason())
            .limit(4)
            .collect(Collectors.joining("; "));
    return until != null && faults.stream().anyMatch(NodeVerdicts::undecided)
        ? new NodeVerdict.NoAction("fenced; a burst is not over", until)
        : new NodeVerdict.Release(why.isEmpty() ? "no fault is left" : why);
  }

  /** A burst under way may be the one that shows the hardware faulty: the fence stays meanwhile. */
  private static boolean undecided(FaultView fault) {
    return fault.active() && Objects.requireNonNull(fault.weight()).until() != null;
  }

  /** What is said on the cordon, in events and in recoveries. */
  public static String reason(FaultView fault) {
    Assessment weight = fault.weight();
    String what = "%s on %s".formatted(fault.code(), fault.component());
    return weight == null
        ? what + ": " + fault.evidence()
        : "%s (%s; confidence %s: %s): %s"
            .formatted(
                what,
                weight.reason(),
                weight.confidence().name().toLowerCase(Locale.ROOT),
                String.join(", ", weight.witnesses()),
                fault.evidence());
  }

  /**
   * How far what is known lets one go, and by which policy; empty when no job and no policy asks
   * for it.
   */
  private static Optional<Asked> asked(NodeSnapshot s, Policy policy) {
    List<Asked> all = new ArrayList<>();
    s.tenants().stream()
        .sorted(Comparator.comparing((Tenant t) -> t.job().key().toString()))
        .forEach(tenant -> ofTenant(tenant).ifPresent(all::add));
    boolean gpus = Objects.requireNonNull(s.node()).hasGpus();
    if (policy.fenceScope() == Policy.FenceScope.GPU_NODES && gpus) {
      all.add(new Asked(policy.mode(), POLICY, policy));
    }
    // One job that wants its node left alone does not keep it in use for all others.
    return all.stream()
        .max(
            Comparator.comparing((Asked asked) -> !asked.policy().paused())
                .thenComparing(Asked::mode)
                .thenComparingInt(asked -> asked.policy().maxFencedNodes()));
  }

  private static Optional<Asked> ofTenant(Tenant tenant) {
    JobView job = tenant.job();
    if (!(job.optIn() instanceof OptIn.Yes(Mode mode))
        || job.finish() != Finish.NOT_FINISHED
        || !job.notOurs().isEmpty()) {
      return Optional.empty();
    }
    Mode bound = tenant.policy().mode();
    return Optional.of(
        new Asked(mode.compareTo(bound) <= 0 ? mode : bound, job.policy(), tenant.policy()));
  }

  private static @Nullable Instant next(List<FaultView> faults) {
    return faults.stream()
        .map(f -> Objects.requireNonNull(f.weight()).until())
        .filter(Objects::nonNull)
        .min(Instant::compareTo)
        .orElse(null);
  }
}
