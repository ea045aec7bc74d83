package dev.rekindle.simulator.chaos;

import static dev.rekindle.api.RecoveryPhase.CANCELLED;
import static dev.rekindle.api.RecoveryPhase.DETECTED;
import static dev.rekindle.api.RecoveryPhase.DRAINING;
import static dev.rekindle.api.RecoveryPhase.FAILED;
import static dev.rekindle.api.RecoveryPhase.FENCING;
import static dev.rekindle.api.RecoveryPhase.HELD;
import static dev.rekindle.api.RecoveryPhase.PLANNING;
import static dev.rekindle.api.RecoveryPhase.RECOVERED;
import static dev.rekindle.api.RecoveryPhase.RESUMING;
import static dev.rekindle.api.RecoveryPhase.VERIFYING;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.TimelineEntry;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 45: the phases of a recovery follow each other in their order, its timeline only grows,
 * its attempts are counted one by one up to the limit of the policy, its conditions agree with its
 * phase, and no two recoveries of one job act at once. No bound. Why: a new leader continues from
 * the status alone, and people read it after the fact.
 */
final class TrueHistory extends Check {
  private static final Map<RecoveryPhase, Set<RecoveryPhase>> NEXT =
      Map.of(
          DETECTED, EnumSet.of(FENCING, DRAINING, HELD, CANCELLED),
          FENCING, EnumSet.of(DRAINING, HELD, CANCELLED),
          DRAINING, EnumSet.of(FENCING, PLANNING, HELD, CANCELLED, FAILED),
          PLANNING, EnumSet.of(FENCING, DRAINING, RESUMING, HELD, CANCELLED, FAILED),
          RESUMING, EnumSet.of(FENCING, DRAINING, PLANNING, VERIFYING, HELD, CANCELLED, FAILED),
          VERIFYING, EnumSet.of(FENCING, DRAINING, RECOVERED, HELD, CANCELLED, FAILED));

  /** What stops a gang, or starts it. */
  private static final Set<RecoveryPhase> ACTING =
      EnumSet.of(FENCING, DRAINING, PLANNING, RESUMING, VERIFYING);

  /** Longer timelines lose their middle. */
  private static final int WHOLE = 60;

  private final Policy policy;

  TrueHistory(World world, Invariants all, Policy policy) {
    super(world, all, Invariant.TRUE_HISTORY);
    this.policy = policy;
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    RecoveryStatus was = before.status();
    if (after == null || after.phase() == null || isOver(was)) {
      return;
    }
    String wrong = was == null ? begins(after) : follows(was, after, isClosed(before));
    wrong = wrong.isEmpty() ? itself(after) : wrong;
    wrong = wrong.isEmpty() ? alone(before, was, after) : wrong;
    if (!wrong.isEmpty()) {
      broken("recovery %s: %s".formatted(before.meta().key(), wrong));
    }
  }

  private static String begins(RecoveryStatus status) {
    boolean well =
        status.attempt() == 1
            && (status.phase() == DETECTED
                || status.phase() == CANCELLED
                || (status.phase() == RECOVERED && status.comeBacks() != null));
    return well ? "" : "begins in %s with attempt %d".formatted(status.phase(), status.attempt());
  }

  /** Whether Kueue has closed the Workload of its job, which ends a recovery in any phase. */
  private boolean isClosed(RecoveryObject recovery) {
    return jobOf(recovery)
        .filter(job -> !job.queue().isEmpty() && job.status().finish() == Finish.FAILED)
        .isPresent();
  }

  private String follows(RecoveryStatus was, RecoveryStatus after, boolean closed) {
    RecoveryPhase left = Objects.requireNonNull(was.phase());
    RecoveryPhase next = Objects.requireNonNull(after.phase());
    RecoveryPhase from = left == HELD ? Objects.requireNonNullElse(was.heldFrom(), HELD) : left;
    boolean ends = closed && next == FAILED;
    if (left != next
        && next != from
        && !ends
        && !NEXT.getOrDefault(from, Set.of()).contains(next)) {
      return "%s follows %s (%s)".formatted(next, left, from);
    }
    if (after.attempt() != was.attempt() && after.attempt() != was.attempt() + 1) {
      return "attempt %d follows %d".formatted(after.attempt(), was.attempt());
    }
    if (after.attempt() > was.attempt() && after.attempt() > policy.maxAttempts()) {
      return "attempt %d is begun; the policy allows %d"
          .formatted(after.attempt(), policy.maxAttempts());
    }
    // A job that is deleted while its recovery moves ends it by a reconcile of the same moment
    // (seed 1893).
    if (left != next && next != CANCELLED && Objects.equals(was.phaseSince(), after.phaseSince())) {
      return "%s is said to have been entered when %s was".formatted(next, left);
    }
    Long reached = was.cause() == null ? null : was.cause().lastStep();
    Long reaches = after.cause() == null ? null : after.cause().lastStep();
    if (reached != null && (reaches == null || reaches < reached)) {
      return "its job had reached step %d, and now step %s".formatted(reached, reaches);
    }
    List<TimelineEntry> all = was.timeline();
    // What a hold says is renewed in place while it lasts.
    boolean renewed = left == HELD && next == HELD && !all.isEmpty();
    List<TimelineEntry> kept = renewed ? all.subList(0, all.size() - 1) : all;
    if (kept.size() < WHOLE
        && (after.timeline().size() < kept.size()
            || !after.timeline().subList(0, kept.size()).equals(kept))) {
      return "its timeline is another one: %s was %s".formatted(after.timeline(), kept);
    }
    return "";
  }

  private static String itself(RecoveryStatus status) {
    RecoveryPhase phase = Objects.requireNonNull(status.phase());
    if ((phase == HELD) != (status.heldFrom() != null)) {
      return "%s, and held from %s".formatted(phase, status.heldFrom());
    }
    if (status.timeline().isEmpty() || status.timeline().getLast().phase() != phase) {
      return "%s, and its timeline ends with %s".formatted(phase, status.timeline());
    }
    boolean over = phase.isTerminal();
    return says(status, "Complete", over) && says(status, "Progressing", !over && phase != HELD)
        ? ""
        : "%s, and its conditions are %s".formatted(phase, status.conditions());
  }

  private static boolean says(RecoveryStatus status, String type, boolean so) {
    return status.conditions().stream()
        .filter(c -> c.getType().equals(type))
        .anyMatch(c -> c.getStatus().equals(so ? "True" : "False"));
  }

  private String alone(RecoveryObject before, @Nullable RecoveryStatus was, RecoveryStatus after) {
    JobObject job = jobOf(before).orElse(null);
    boolean begins = ACTING.contains(after.phase()) && (was == null || was.phase() == DETECTED);
    // An orphan's takes the job over, and the other one sees that and ends.
    boolean takesOver =
        after.cause() != null && after.cause().reason().equals(RecoveryStatus.Cause.ORPHANED);
    if (!begins || takesOver || job == null) {
      return "";
    }
    for (RecoveryObject other : open(job)) {
      RecoveryStatus status = other.status();
      if (!other.meta().name().equals(before.meta().name())
          && status != null
          && ACTING.contains(status.phase())) {
        return "begins while recovery %s is in %s".formatted(other.meta().name(), status.phase());
      }
    }
    return "";
  }
}
