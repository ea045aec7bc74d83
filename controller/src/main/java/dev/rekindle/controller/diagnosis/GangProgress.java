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

  /** Ranks of a gang are a few steps apart, and agents read a line some seconds after it. */
  private static final Duration BEHIND = Duration.ofSeconds(10);

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

  /**
   * What the rank that has come furthest says of the loss; null where none names it. Where that is
   * no number, and another rank prints one for one of the same steps, the loss of the job is a
   * number: NaN reaches all ranks with the next step.
   */
  public @Nullable Loss loss() {
    RankView furthest =
        reports.stream()
            .filter(r -> r.loss() != null)
            .max(
                Comparator.comparingLong(GangProgress::last)
                    .thenComparing(RankView::pod, Comparator.reverseOrder()))
            .orElse(null);
    if (furthest == null) {
      return null;
    }
    Loss loss = Objects.requireNonNull(furthest.loss());
    return reports.stream()
        .filter(r -> isOfSameSteps(r, furthest, loss))
        .max(Comparator.comparingLong(GangProgress::last).thenComparing(RankView::pod))
        .map(RankView::loss)
        .orElse(loss);
  }

  /** Whether a rank prints a number for a step for which that one prints none. */
  private static boolean isOfSameSteps(RankView rank, RankView furthest, Loss none) {
    Loss loss = rank.loss();
    Instant time = rank.lastStepTime();
    Instant began = furthest.firstStepTime();
    return none.value() == null
        && loss != null
        && loss.value() != null
        && last(rank) > last(furthest) - none.notFinite()
        // What was printed before a restart says nothing of the same steps after it.
        && time != null
        && began != null
        && !time.isBefore(began);
  }

  /**
   * Whether a rank prints no number for its loss where another one prints a number for one of the
   * same steps: as each does that is not of the last stage of a pipeline, in some trainers.
   */
  public boolean lossesDiffer() {
    return reports.stream()
        .anyMatch(
            none -> {
              Loss loss = none.loss();
              return loss != null && reports.stream().anyMatch(r -> isOfSameSteps(r, none, loss));
            });
  }

  private static long last(RankView rank) {
    return Objects.requireNonNullElse(rank.lastStep(), Long.MIN_VALUE);
  }

  /** Whether any rank was ever seen to train. */
  public boolean seen() {
    return lastStepTime != null;
  }

  /**
   * For how long an agent outside the given nodes has watched the steps stand still, as far as it
   * has reported: a view that lags shows an old step, and that is no sign that no newer one was
   * made. Each report is measured by its own clock. Where one rank moves all do, so the shortest
   * counts. One whose lines are not read is no witness: its steps stood while others were made.
   *
   * @return empty when no agent there has reported of late: it is not known
   */
  public Optional<Duration> standingOutside(Collection<String> nodes, Instant now) {
    return witnesses.stream()
        .filter(r -> !nodes.contains(r.node()) && fresh(r.observedTime(), now))
        .filter(r -> r.lastStepTime() != null && !isUnread(r))
        .map(GangProgress::standing)
        .min(Duration::compareTo);
  }

  /**
   * Whether others have made more steps than a rank can be behind whose lines arrive: for longer
   * than twice its usual pause between two lines and some seconds. How long their steps took is
   * measured by the clock of the rank that has come furthest. A rank that has moved more lately
   * than that one is read: the other one has printed a step that it had not made (seed 95287601).
   */
  private boolean isUnread(RankView rank) {
    RankView furthest =
        witnesses.stream()
            .filter(r -> made(r) > 0 && r.firstStepTime() != null && r.lastStepTime() != null)
            .filter(r -> r.observedTime() != null)
            .max(Comparator.comparingLong(GangProgress::last))
            .orElse(null);
    Pace pace = rank.pace();
    Long step = rank.lastStep();
    if (furthest == null
        || pace == null
        || step == null
        || step >= last(furthest)
        || standing(rank).compareTo(standing(furthest)) <= 0) {
      return false;
    }
    // In floating point: the numbers of a report may be of any size.
    double made = (double) made(furthest);
    double behind = Math.min(made, (double) (last(furthest) - step));
    double seconds =
        (double) Duration.between(furthest.firstStepTime(), furthest.lastStepTime()).toSeconds();
    return seconds * behind / made > 2 * pace.p99Millis() / 1_000.0 + BEHIND.toSeconds();
  }

  private static long made(RankView rank) {
    Long first = rank.firstStep();
    Long last = rank.lastStep();
    return first == null || last == null ? 0 : last - first;
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
