package dev.rekindle.controller.diagnosis;

import dev.rekindle.api.CauseReason;
import dev.rekindle.api.RecoveryStatus.Evidence;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RecoveryView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** Judges gangs that run and make no step. */
final class Stalls {
  private Stalls() {}

  static Optional<Verdict> stalled(JobSnapshot s, Policy policy, Instant now) {
    List<PodView> pods = s.pods();
    boolean allRun =
        pods.size() == s.job().gangSize()
            && pods.stream().allMatch(p -> p.phase() == PodView.Phase.RUNNING && !p.terminating());
    GangProgress progress = GangProgress.of(pods, s.ranks());
    if (!allRun) {
      return Optional.empty();
    }
    if (!progress.seen()) {
      return neverBegan(s, progress, policy, now);
    }
    StallThreshold threshold = StallThreshold.of(s, progress, policy, now);
    Duration timeout = threshold.timeout();
    Optional<Duration> standing = progress.standingOutside(List.of(), now);
    if (standing.isEmpty()) {
      return Optional.of(
          new Verdict.Watch(
              "no agent reports: nothing shows that training has stopped", now.plus(timeout)));
    }
    Duration left = timeout.minus(standing.get());
    if (left.isPositive()) {
      return Optional.of(new Verdict.Watch("trains", now.plus(left)));
    }
    String message =
        "all %d pods run and their steps stand at %d for %d s"
            .formatted(pods.size(), progress.lastStep(), standing.get().toSeconds());
    Evidence evidence =
        new Evidence(
            "", "", "a stall after %d s: %s".formatted(timeout.toSeconds(), threshold.why()));
    return Optional.of(
        Causes.recover(
            Causes.of(
                CauseReason.STALLED,
                message,
                List.of(evidence),
                List.of(),
                List.of(),
                progress.laggards(),
                s)));
  }

  /**
   * A gang whose containers all run and that has made no step yet. Only of a job that printed steps
   * before is it known that it would print them.
   */
  static Optional<Verdict> neverBegan(
      JobSnapshot s, GangProgress progress, Policy policy, Instant now) {
    if (s.recoveries().stream().noneMatch(RecoveryView::sawSteps)) {
      return Optional.empty();
    }
    Instant youngest =
        s.pods().stream()
            .flatMap(
                p -> Stream.of(p.created(), Objects.requireNonNullElse(p.lastExit(), p.created())))
            .max(Instant::compareTo)
            .orElse(now);
    Instant due = youngest.plus(policy.start());
    if (now.isBefore(due) || !progress.lookedSince(due)) {
      Instant again = now.isBefore(due) ? due : now.plus(policy.silentNode());
      return Optional.of(new Verdict.Watch("has made no step yet", again));
    }
    String message =
        "all %d pods run and made no step for %d s"
            .formatted(s.pods().size(), Duration.between(youngest, now).toSeconds());
    return Optional.of(
        Causes.recover(
            Causes.of(
                CauseReason.STALLED, message, List.of(), List.of(), List.of(), List.of(), s)));
  }

  static Duration stallTimeout(JobSnapshot s, Policy policy) {
    return Objects.requireNonNullElse(s.job().stallTimeout(), policy.stall());
  }
}
