package dev.rekindle.controller.shadow;

import dev.rekindle.api.Scorecard.Entry;
import dev.rekindle.api.ShadowVerdict;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.shadow.Scores.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What happened after something was not done, and whether that shows it to have been called for.
 * Pure: the same facts and time give the same answer.
 */
public final class OutcomeEvaluator {
  /** After so long what has not shown itself is held for nothing. */
  public static final Duration WINDOW = Duration.ofHours(1);

  /** Agents report every few seconds; one that has not for so long does not follow the job. */
  private static final Duration OF_LATE = Duration.ofMinutes(5);

  private OutcomeEvaluator() {}

  /**
   * Of a node that would have been fenced. Right: it was seen to fail again, went silent, lost a
   * pod, or a person cordoned it. Wrong: the fault was cleared, or an hour went by with none of it.
   *
   * @param node absent when it no longer exists
   * @param faults its faults
   * @param pods the pods of training jobs on it
   * @param burst records within so long of the entry are of the same burst
   */
  public static Optional<Outcome> ofFence(
      Entry entry,
      @Nullable NodeView node,
      List<FaultView> faults,
      List<PodView> pods,
      Duration burst,
      Instant now) {
    if (node == null) {
      return right("the node was taken away");
    }
    if (node.unschedulable() && !node.fencedByUs()) {
      return right("a person cordoned the node");
    }
    if (node.fencedByUs()) {
      return unknown("it was fenced after all");
    }
    if (node.readiness() != NodeView.Readiness.READY && after(node.readinessSince(), entry)) {
      return right("the node was no longer Ready");
    }
    Optional<FaultView> fault =
        faults.stream().filter(f -> f.name().equals(entry.uid())).findFirst();
    Instant seen = fault.map(FaultView::lastSeen).orElse(null);
    if (seen != null && seen.isAfter(entry.time().plus(burst))) {
      return right("the fault was seen again");
    }
    Optional<PodView> died =
        pods.stream().filter(p -> p.failure() != null && after(p.lastExit(), entry)).findFirst();
    if (died.isPresent()) {
      return right(
          "pod %s on it failed: %s"
              .formatted(
                  died.get().name(), Objects.requireNonNull(died.get().failure()).message()));
    }
    if (fault.isPresent() && !fault.get().active()) {
      return wrong(
          "the fault was cleared by %s, and nothing had happened"
              .formatted(fault.get().clearedBy()));
    }
    return late(entry, now) ? wrong("nothing happened for an hour") : Optional.empty();
  }

  /**
   * Of a job that would have been restarted. Right: it failed for good, its user stopped it, or it
   * made no step for an hour, as an agent that still reports says. Wrong: it made steps without us.
   *
   * @param job absent when it no longer exists under this UID
   * @param ranks reports on its present pods
   */
  public static Optional<Outcome> ofRestart(
      Entry entry, @Nullable JobView job, List<RankView> ranks, Instant now) {
    if (job == null) {
      return right("the job was deleted");
    }
    if (job.finish() == Finish.FAILED) {
      return right("the job failed: " + job.finishMessage());
    }
    if (job.finish() == Finish.SUCCEEDED) {
      return wrong("the job succeeded");
    }
    if (job.suspended()) {
      return right("its user suspended the job");
    }
    Optional<RankView> stepped =
        ranks.stream()
            .filter(r -> r.lastStep() != null && after(r.lastStepTime(), entry))
            .findFirst();
    if (stepped.isPresent()) {
      return wrong("it came to step %d without us".formatted(stepped.get().lastStep()));
    }
    if (!late(entry, now)) {
      return Optional.empty();
    }
    if (ranks.isEmpty()) {
      return unknown("no agent reported on it for an hour");
    }
    // What an agent last saw before it fell silent says nothing of the time since.
    return ranks.stream().anyMatch(r -> looksStill(r.observedTime(), now))
        ? right("it made no step for an hour")
        : unknown("no agent has polled it lately");
  }

  private static boolean looksStill(@Nullable Instant observed, Instant now) {
    return observed != null && Duration.between(observed, now).compareTo(OF_LATE) <= 0;
  }

  private static boolean after(@Nullable Instant time, Entry entry) {
    return time != null && time.isAfter(entry.time());
  }

  private static boolean late(Entry entry, Instant now) {
    return !now.isBefore(entry.time().plus(WINDOW));
  }

  private static Optional<Outcome> right(String then) {
    return Optional.of(new Outcome(ShadowVerdict.RIGHT, then));
  }

  private static Optional<Outcome> wrong(String then) {
    return Optional.of(new Outcome(ShadowVerdict.WRONG, then));
  }

  private static Optional<Outcome> unknown(String then) {
    return Optional.of(new Outcome(ShadowVerdict.UNKNOWN, then));
  }
}
