package dev.rekindle.controller.spares;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.GangScheduling;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.SpareOrder;
import dev.rekindle.controller.model.SpareView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Which warm spares of a job go, and whether it is to have one more. Pure. Spares are made only
 * beside a gang that is complete and runs; a gang that lacks a pod comes before its own spares; and
 * a spare that could take no pod of the gang is of no use.
 */
final class SpareDecision {
  /** A spare that has found no place for so long is in vain: others hold what was free. */
  static final Duration PLACED_WITHIN = Duration.ofSeconds(60);

  /** A pod of the gang that has found none for so long may be waiting for the room of a spare. */
  static final Duration GANG_WAITS = Duration.ofSeconds(5);

  private SpareDecision() {}

  /**
   * A spare that goes.
   *
   * @param why for people
   * @param inVain whether another one, made at once, would fare no better
   */
  record Removal(SpareView spare, String why, boolean inVain) {}

  /** How many the job may have now, and why not as many as it requests. */
  record Allowance(int count, String why) {}

  /** So many, by the job, by the policy and by what else is so. */
  static Allowance allowance(@Nullable JobView job, Policy policy) {
    if (job == null) {
      return new Allowance(0, "the job is gone");
    }
    int asked = job.spares().count();
    if (asked == 0) {
      return new Allowance(0, "the job asks for none");
    }
    if (!job.handsOff().isEmpty()) {
      return new Allowance(0, job.handsOff());
    }
    if (job.finish() != Finish.NOT_FINISHED) {
      return new Allowance(0, "the job has ended");
    }
    if (job.gang() instanceof GangScheduling.Kueue) {
      return new Allowance(0, "Kueue admits the job: a spare would be outside of its quota");
    }
    return policy.maxSpares() < asked
        ? new Allowance(
            policy.maxSpares(),
            "the policy allows %d of %d (spares.maxPerJob)".formatted(policy.maxSpares(), asked))
        : new Allowance(asked, "");
  }

  /** The spares that go, in the order of their names. */
  static List<Removal> removals(SpareSnapshot s, Policy policy, Instant now) {
    Optional<String> all = allGo(s, now);
    List<Removal> removals = new ArrayList<>();
    for (SpareView spare : s.spares()) {
      if (!spare.terminating()) {
        removal(s, spare, policy, all, now).ifPresent(removals::add);
      }
    }
    removals.sort(Comparator.comparing(r -> r.spare().name()));
    return removals;
  }

  private static Optional<Removal> removal(
      SpareSnapshot s, SpareView spare, Policy policy, Optional<String> all, Instant now) {
    JobView job = s.job();
    Allowance allowed = allowance(job, policy);
    if (job == null || !spare.jobUid().equals(job.uid())) {
      return goes(spare, "its job is gone");
    }
    if (spare.slot() < 0 || place(s, spare) >= allowed.count()) {
      return goes(spare, allowed.why().isEmpty() ? "the job asks for fewer" : allowed.why());
    }
    // Two jobs may each have taken the last place at one time.
    if (s.inNamespace().indexOf(spare.uid()) >= policy.maxSparesPerNamespace()) {
      return goes(
          spare,
          "the policy allows %d in the namespace (spares.maxPerNamespace)"
              .formatted(policy.maxSparesPerNamespace()));
    }
    if (all.isPresent()) {
      return goes(spare, all.get());
    }
    if (!spare.template().equals(job.spares().template())) {
      return goes(spare, "the template of the job is another one");
    }
    return switch (spare.phase()) {
      case SUCCEEDED, FAILED ->
          Optional.of(new Removal(spare, "its pod has ended: something took its room", true));
      default ->
          spare.node().isEmpty()
              ? unplaced(spare, now)
              : unfit(s, spare).flatMap(w -> goes(spare, w));
    };
  }

  /** Which of the spares that stay it is, by their numbers. */
  private static long place(SpareSnapshot s, SpareView spare) {
    return s.spares().stream()
        .filter(other -> !other.terminating() && other.slot() < spare.slot())
        .count();
  }

  /**
   * Whether the spare has been deleted and cannot go, as no kubelet says that it has ended. Where
   * its node comes back, it goes then.
   *
   * @param node its node, absent where that is gone
   */
  static boolean isLost(SpareView spare, @Nullable NodeView node) {
    return spare.terminating()
        && !spare.node().isEmpty()
        && (node == null || node.readiness() != NodeView.Readiness.READY);
  }

  /** How many of them take the place of another one. */
  static long counted(SpareSnapshot s) {
    return s.spares().stream().filter(spare -> !isLost(spare, s.nodes().get(spare.node()))).count();
  }

  private static Optional<Removal> goes(SpareView spare, String why) {
    return Optional.of(new Removal(spare, why, false));
  }

  private static Optional<Removal> unplaced(SpareView spare, Instant now) {
    return waits(spare.created(), PLACED_WITHIN, now)
        ? Optional.empty()
        : Optional.of(
            new Removal(
                spare,
                "it has found no place within %d s".formatted(PLACED_WITHIN.toSeconds()),
                true));
  }

  /**
   * By the clock of the API server. A controller clock that is behind must not make it wait
   * forever.
   */
  private static boolean waits(Instant since, Duration time, Instant now) {
    Duration waited = Duration.between(since, now);
    return waited.compareTo(time) <= 0 && waited.compareTo(time.negated()) >= 0;
  }

  private static Optional<String> unfit(SpareSnapshot s, SpareView spare) {
    NodeView node = s.nodes().get(spare.node());
    if (node == null) {
      return Optional.of("its node is gone");
    }
    if (node.readiness() != NodeView.Readiness.READY) {
      return Optional.of("its node is not Ready");
    }
    if (node.unschedulable() || node.leftToOthers() || node.fencedByUs()) {
      return Optional.of("its node takes no pods");
    }
    return s.faults().stream()
        .filter(f -> f.fences() && f.node().equals(spare.node()))
        .map(FaultView::name)
        .sorted()
        .findFirst()
        .map("its node has the fault "::concat);
  }

  /** Why none of the spares may stay, whatever each is like. */
  private static Optional<String> allGo(SpareSnapshot s, Instant now) {
    JobView job = s.job();
    if (job == null) {
      return Optional.of("its job is gone");
    }
    if (s.recovery() == RecoveryPhase.HELD) {
      return Optional.of("the recovery of the job is held");
    }
    if (job.suspended() && s.recovery() == null) {
      return Optional.of("the job is suspended");
    }
    return s.pods().stream()
        .filter(p -> p.node().isEmpty() && p.live() && !p.terminating())
        .filter(p -> !waits(p.created(), GANG_WAITS, now))
        .map(PodView::name)
        .sorted()
        .findFirst()
        .map(pod -> "pod %s of the gang has no place".formatted(pod));
  }

  /** The lowest number that a further spare is to have; empty where there is to be none now. */
  static OptionalInt next(SpareSnapshot s, Policy policy, Instant now) {
    JobView job = s.job();
    if (job == null
        || s.recovery() != null
        || policy.paused()
        || !isWhole(s, job)
        || s.inNamespace().size() >= policy.maxSparesPerNamespace()
        || !removals(s, policy, now).isEmpty()) {
      return OptionalInt.empty();
    }
    if (counted(s) >= allowance(job, policy).count()) {
      return OptionalInt.empty();
    }
    Set<Integer> there = s.spares().stream().map(SpareView::slot).collect(Collectors.toSet());
    return IntStream.range(0, SpareOrder.SLOTS).filter(slot -> !there.contains(slot)).findFirst();
  }

  /** What keeps the job from the spares that it requests, where somebody could do something. */
  static String wanting(SpareSnapshot s, Policy policy) {
    JobView job = s.job();
    if (job == null || job.spares().count() == 0 || job.finish() != Finish.NOT_FINISHED) {
      return "";
    }
    Allowance allowed = allowance(job, policy);
    if (!allowed.why().isEmpty()) {
      return job.handsOff().isEmpty() ? allowed.why() : "";
    }
    return counted(s) < allowed.count() && s.inNamespace().size() >= policy.maxSparesPerNamespace()
        ? "the namespace has as many as the policy allows, %d (spares.maxPerNamespace)"
            .formatted(policy.maxSparesPerNamespace())
        : "";
  }

  private static boolean isWhole(SpareSnapshot s, JobView job) {
    return !job.suspended()
        && s.pods().size() == job.gangSize()
        && s.pods().stream()
            .allMatch(
                p -> p.phase() == PodView.Phase.RUNNING && !p.node().isEmpty() && !p.terminating());
  }
}
