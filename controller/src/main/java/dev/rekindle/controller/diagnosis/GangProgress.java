package dev.rekindle.controller.diagnosis;

import dev.rekindle.api.RankReportStatus.Loss;
import dev.rekindle.api.RankReportStatus.Pace;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How far a gang has come, from the reports on its present pods. Training is synchronous, so one
 * rank that moves shows that all move.
 *
 * @param lastStep newest step of any rank
 * @param lastStepTime when the step of any rank last grew
 * @param reports the reports on present pods
 * @param witnesses those of them that are of the container which runs now: what stood still before
 *     a restart says nothing of what came after it
 */
public record GangProgress(
    @Nullable Long lastStep,
    @Nullable Instant lastStepTime,
    List<RankView> reports,
    List<RankView> witnesses) {
  /**
   * An agent that has not reported for so long is itself silent: its report witnesses nothing.
   * Several report intervals, so that a slow write does not count.
   */
  static final Duration FRESH = Duration.ofSeconds(30);

  /** Reads the progress of the given pods. Reports on pods that are gone do not count. */
  public static GangProgress of(Collection<PodView> pods, Collection<RankView> ranks) {
    Map<String, Integer> restarts = new HashMap<>();
    pods.forEach(pod -> restarts.put(pod.uid(), pod.restarts()));
    List<RankView> present = new ArrayList<>();
    List<RankView> witnesses = new ArrayList<>();
    Long step = null;
    Instant time = null;
    for (RankView rank : ranks) {
      Integer run = restarts.get(rank.podUid());
      if (run == null) {
        continue;
      }
      present.add(rank);
      if (rank.restartCount() >= run) {
        witnesses.add(rank);
      }
      Long last = rank.lastStep();
      if (last != null && (step == null || last > step)) {
        step = last;
      }
      Instant at = rank.lastStepTime();
      if (at != null && (time == null || at.isAfter(time))) {
        time = at;
      }
    }
    return new GangProgress(step, time, present, witnesses);
  }

  /** The first step that the containers which run now were seen to make; null where none was. */
  public @Nullable Long firstStep() {
    return witnesses.stream()
        .map(RankView::firstStep)
        .filter(Objects::nonNull)
        .min(Comparator.naturalOrder())
        .orElse(null);
  }

  /** What the rank that has come furthest says of the loss; null where none names it. */
  public @Nullable Loss loss() {
    return reports.stream()
        .filter(r -> r.loss() != null)
        .max(
            Comparator.comparingLong(
                    (RankView r) -> Objects.requireNonNullElse(r.lastStep(), Long.MIN_VALUE))
                .thenComparing(RankView::pod, Comparator.reverseOrder()))
        .map(RankView::loss)
        .orElse(null);
  }

  /** Whether any rank was ever seen to train. */
  public boolean seen() {
    return lastStepTime != null;
  }

  /**
   * For how long an agent outside the given nodes has watched the steps stand still, as far as it
   * has reported: a view that lags shows an old step, and that is no sign that no newer one was
   * made. Each report is measured by its own clock. Where one rank moves all do, so the shortest
   * counts.
   *
   * @return empty when no agent there has reported of late: it is not known
   */
  public Optional<Duration> standingOutside(Collection<String> nodes, Instant now) {
    return witnesses.stream()
        .filter(r -> !nodes.contains(r.node()) && fresh(r.observedTime(), now))
        .filter(r -> r.lastStepTime() != null)
        .map(GangProgress::standing)
        .min(Duration::compareTo);
  }

  /**
   * By the stamps of one node; not longer than its agent has itself seen no higher step, since the
   * clock of a node may be set forward.
   */
  private static Duration standing(RankView rank) {
    Duration stamps =
        Duration.between(
            Objects.requireNonNull(rank.lastStepTime()),
            Objects.requireNonNull(rank.observedTime()));
    Pace pace = rank.pace();
    Duration seen = pace == null ? stamps : Duration.ofSeconds(pace.stoodSeconds());
    return seen.compareTo(stamps) < 0 ? seen : stamps;
  }

  /**
   * The same from agents whose own ranks print no step, as where rank 0 alone does: they see that
   * the ranks are there, not that they move.
   */
  public Optional<Duration> unheardOutside(Collection<String> nodes, Instant now) {
    Instant last = lastStepTime;
    return last == null
        ? Optional.empty()
        : witnesses.stream()
            .filter(r -> !nodes.contains(r.node()) && fresh(r.observedTime(), now))
            .map(r -> Duration.between(last, Objects.requireNonNull(r.observedTime())))
            .max(Duration::compareTo);
  }

  /** Whether any agent has reported since then. */
  public boolean lookedSince(Instant then) {
    return reports.stream()
        .map(RankView::observedTime)
        .anyMatch(observed -> observed != null && !observed.isBefore(then));
  }

  /**
   * Pods whose rank is behind the newest step: where a person would start. Empty when all stand
   * level.
   */
  public List<String> laggards() {
    return reports.stream()
        .filter(r -> r.lastStep() != null && lastStep != null && r.lastStep() < lastStep)
        .map(RankView::pod)
        .sorted()
        .toList();
  }

  /** Whether a report of that time is still fresh. */
  public static boolean fresh(@Nullable Instant observed, Instant now) {
    return observed != null && Duration.between(observed, now).compareTo(FRESH) <= 0;
  }
}
