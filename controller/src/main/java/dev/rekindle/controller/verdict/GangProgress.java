package dev.rekindle.controller.verdict;

import dev.rekindle.controller.cluster.PodView;
import dev.rekindle.controller.cluster.RankView;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How far a gang has come, from the reports on its present pods. Training is synchronous, so one
 * rank that moves shows that all move.
 *
 * @param lastStep newest step of any rank
 * @param lastStepTime when the step of any rank last grew
 * @param reports the reports on present pods
 */
public record GangProgress(
    @Nullable Long lastStep, @Nullable Instant lastStepTime, List<RankView> reports) {
  /**
   * An agent that has not looked for so long is itself silent: its report witnesses nothing.
   * Several report intervals, so that a slow write does not count.
   */
  static final Duration FRESH = Duration.ofSeconds(30);

  /** Reads the progress of the given pods. Reports on pods that are gone do not count. */
  public static GangProgress of(Collection<PodView> pods, Collection<RankView> ranks) {
    Map<String, PodView> byUid =
        pods.stream().collect(Collectors.toMap(PodView::uid, Function.identity(), (a, b) -> a));
    List<RankView> present = ranks.stream().filter(r -> byUid.containsKey(r.podUid())).toList();
    Long step =
        present.stream()
            .map(RankView::lastStep)
            .filter(Objects::nonNull)
            .max(Long::compare)
            .orElse(null);
    Instant time =
        present.stream()
            .map(RankView::lastStepTime)
            .filter(Objects::nonNull)
            .max(Instant::compareTo)
            .orElse(null);
    return new GangProgress(step, time, present);
  }

  /** Whether any rank was ever seen to train. */
  public boolean seen() {
    return lastStepTime != null;
  }

  /**
   * Whether an agent outside the given nodes looked recently: without one nobody can say that steps
   * stand.
   */
  public boolean witnessedOutside(Collection<String> nodes, Instant now) {
    return reports.stream()
        .anyMatch(r -> !nodes.contains(r.node()) && fresh(r.observedTime(), now));
  }

  /** How long steps have stood still; zero when none was ever seen. */
  public Duration standing(Instant now) {
    return lastStepTime == null ? Duration.ZERO : Duration.between(lastStepTime, now);
  }

  /**
   * Pods whose rank is behind the newest step: where a person would look first. Empty when all
   * stand level.
   */
  public List<String> laggards() {
    return reports.stream()
        .filter(r -> r.lastStep() != null && lastStep != null && r.lastStep() < lastStep)
        .map(RankView::pod)
        .sorted()
        .toList();
  }

  private static boolean fresh(@Nullable Instant observed, Instant now) {
    return observed != null && Duration.between(observed, now).compareTo(FRESH) <= 0;
  }
}
