package dev.rekindle.controller.diagnosis;

import dev.rekindle.api.CauseReason;
import dev.rekindle.api.RankReportStatus.RestartAsked;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Evidence;
import dev.rekindle.api.TimelineEntry;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RecoveryView;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Ranks whose scripts request a restart of the gang. */
final class RestartRequests {
  /** A script that has requested a restart may have trained on since: it is not undone later. */
  private static final Duration ASKED = Duration.ofMinutes(5);

  private RestartRequests() {}

  static Optional<Verdict> asked(JobSnapshot s, Instant now) {
    List<RankView> asking = asking(s, now).toList();
    if (asking.isEmpty()) {
      return Optional.empty();
    }
    List<Evidence> evidence = asking.stream().map(RestartRequests::request).toList();
    String message = Causes.sentence(evidence.getFirst());
    return Optional.of(
        Causes.recover(
            Causes.of(
                CauseReason.RESTART_ASKED,
                Causes.bounded(message),
                evidence,
                List.of(),
                List.of(),
                asking.stream().map(RankView::pod).distinct().limit(64).toList(),
                s)));
  }

  /** Whatever the recovery is for, what a script requests is done with it. */
  static Cause rollBack(Cause cause, JobSnapshot s, Instant now) {
    Long before =
        asking(s, now)
            .map(r -> Objects.requireNonNull(r.asked()).beforeStep())
            .filter(Objects::nonNull)
            .min(Long::compare)
            .orElse(null);
    return before == null ? cause : cause.withBeforeStep(before);
  }

  private static Evidence request(RankView rank) {
    RestartAsked asked = Objects.requireNonNull(rank.asked());
    String before = asked.beforeStep() == null ? "" : " from before step " + asked.beforeStep();
    return new Evidence(
        rank.node(),
        rank.pod(),
        "the script asks for a restart%s: %s".formatted(before, asked.reason()));
  }

  /** Ranks whose scripts request a restart that they have not got yet, the first to ask first. */
  private static Stream<RankView> asking(JobSnapshot s, Instant now) {
    Map<String, PodView> pods =
        s.pods().stream().collect(Collectors.toMap(PodView::uid, Function.identity()));
    return s.ranks().stream()
        .filter(r -> r.asked() != null && pods.containsKey(r.podUid()))
        .filter(r -> isStanding(r, Objects.requireNonNull(pods.get(r.podUid())), s, now))
        .sorted(
            Comparator.comparing((RankView r) -> Objects.requireNonNull(r.asked()).time())
                .thenComparing(RankView::pod));
  }

  private static boolean isStanding(RankView rank, PodView pod, JobSnapshot s, Instant now) {
    Instant at = Objects.requireNonNull(rank.asked()).time();
    Instant exit = pod.lastExit();
    // By the clock of one node: the container that asked is no more, and its agent has yet to see.
    boolean gone =
        exit != null && exit.plusSeconds(1).isAfter(at) && pod.restarts() > rank.restartCount();
    return !gone
        && Duration.between(at, now).compareTo(ASKED) <= 0
        && s.recoveries().stream()
            .map(RecoveryView::status)
            .filter(Objects::nonNull)
            .map(RestartRequests::restarted)
            .noneMatch(restarted -> restarted != null && !restarted.isBefore(at));
  }

  /** When a recovery last started the gang again, or ended without. */
  private static @Nullable Instant restarted(RecoveryStatus status) {
    return status.timeline().stream()
        .filter(entry -> entry.phase() == RecoveryPhase.RESUMING)
        .map(TimelineEntry::time)
        .max(Instant::compareTo)
        .orElse(status.phaseSince());
  }
}
