package dev.rekindle.controller.diagnosis;

import dev.rekindle.api.CauseReason;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RecoveryView;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Judges containers that ended and that the kubelets restart. */
final class ContainerEnds {
  private ContainerEnds() {}

  static Optional<Verdict> containersEnded(JobSnapshot s, Policy policy, Instant now) {
    GangProgress progress = GangProgress.of(s.pods(), s.ranks());
    Instant last = progress.lastStepTime();
    // Kubernetes keeps the end of a container in whole seconds, cut off: within that second the end
    // may be the later one.
    List<PodView> ended =
        s.pods().stream()
            .filter(p -> p.lastExit() != null)
            .filter(
                p ->
                    last == null
                        || Objects.requireNonNull(p.lastExit()).plusSeconds(1).isAfter(last))
            .filter(p -> !answered(s, Objects.requireNonNull(p.lastExit())))
            .toList();
    return ended.isEmpty()
        ? Optional.empty()
        : unlessNotLoaded(s, CauseReason.CONTAINER_ENDED, ended, policy, now);
  }

  /**
   * The kubelets alone were faster than we would have been. Reported once, as a recovery in which
   * nothing was done; a container beside the one that trains may end without anybody losing a step.
   */
  static Optional<Verdict> cameBack(JobSnapshot s, Policy policy, Instant now) {
    List<PodView> pods = s.pods();
    List<PodView> ended =
        pods.stream()
            .filter(p -> p.lastExit() != null)
            .filter(p -> isNews(Objects.requireNonNull(p.lastExit()), policy, now))
            .filter(p -> !answered(s, Objects.requireNonNull(p.lastExit())))
            .toList();
    if (!isWhole(s) || ended.isEmpty()) {
      return Optional.empty();
    }
    Instant first =
        ended.stream()
            .map(p -> Objects.requireNonNull(p.lastExit()))
            .min(Instant::compareTo)
            .orElseThrow();
    return GangProgress.of(pods, s.ranks()).reports().stream()
        .filter(r -> r.firstStep() != null && r.firstStepTime() != null)
        .filter(r -> Objects.requireNonNull(r.firstStepTime()).isAfter(first))
        .min(Comparator.comparing(r -> Objects.requireNonNull(r.firstStepTime())))
        .map(
            r ->
                new Verdict.SelfRecovered(
                    Causes.ofFailure(CauseReason.CONTAINER_ENDED, "", ended, s),
                    first,
                    Objects.requireNonNull(r.firstStep()),
                    Objects.requireNonNull(r.firstStepTime())));
  }

  private static boolean isWhole(JobSnapshot s) {
    return s.pods().size() == s.job().gangSize()
        && s.pods().stream()
            .allMatch(p -> p.phase() == PodView.Phase.RUNNING && p.ready() && !p.terminating());
  }

  /** Whether it is recent enough to be reported by a controller that may have started since. */
  private static boolean isNews(Instant ended, Policy policy, Instant now) {
    return Duration.between(ended, now).compareTo(policy.kubeletRestart().multipliedBy(2)) <= 0;
  }

  /**
   * What the kubelets, or the operator, start again would load the same checkpoint: nothing is left
   * to them then.
   */
  static Optional<Verdict> unlessNotLoaded(
      JobSnapshot s, CauseReason reason, List<PodView> ended, Policy policy, Instant now) {
    Cause cause = Causes.ofFailure(reason, "", ended, s);
    return cause.reason().equals(CauseReason.CHECKPOINT_NOT_LOADED.word())
        ? Optional.of(Causes.recover(cause))
        : waitForSteps(s, ended, policy, now, cause);
  }

  /**
   * The kubelet (or the operator) is at it: only when steps do not come back in time is it ours.
   * The time counts from the last step. Where no step was seen, as agents may be late or the script
   * prints none, it counts from the first end of a container.
   */
  private static Optional<Verdict> waitForSteps(
      JobSnapshot s, List<PodView> ended, Policy policy, Instant now, Cause cause) {
    GangProgress progress = GangProgress.of(s.pods(), s.ranks());
    Optional<Instant> last =
        Optional.ofNullable(progress.lastStepTime()).or(() -> firstEnd(ended, policy, now));
    Instant since =
        Stream.concat(last.stream(), s.pods().stream().map(PodView::created))
            .max(Instant::compareTo)
            .orElse(now);
    Instant due = since.plus(policy.kubeletRestart());
    if (!now.isBefore(due) && progress.seen() && !progress.lookedSince(due)) {
      // Steps may have come back and the reports lag: these get as long again. A gang that is
      // whole and Ready is not known to make none, for as long as no agent polls it.
      due = (isWhole(s) ? now : due).plus(policy.kubeletRestart());
    }
    return Optional.of(
        now.isBefore(due)
            ? new Verdict.Watch("containers ended; the kubelet restarts them", due)
            : Causes.recover(cause));
  }

  /** A node's clock that is further ahead than the wait does not prolong it. */
  private static Optional<Instant> firstEnd(List<PodView> ended, Policy policy, Instant now) {
    return ended.stream()
        .flatMap(p -> Stream.ofNullable(p.lastExit()))
        .filter(end -> !end.isAfter(now.plus(policy.kubeletRestart())))
        .min(Instant::compareTo);
  }

  /**
   * Whether a recovery has brought the job back since then: what is older starts nothing. Of a gang
   * that came back by itself it is written when it trained again, by the clock of its node: the
   * controller's own may be behind that, and would have it reported with every reconcile.
   */
  static boolean answered(JobSnapshot s, Instant then) {
    return s.recoveries().stream()
        .map(RecoveryView::status)
        .filter(Objects::nonNull)
        .filter(status -> status.phase() == RecoveryPhase.RECOVERED)
        .anyMatch(
            status ->
                isAfter(status.phaseSince(), then.plusSeconds(1))
                    || (status.comeBacks() != null
                        && isAfter(Objects.requireNonNull(status.comeBacks()).last(), then)));
  }

  private static boolean isAfter(@Nullable Instant time, Instant then) {
    return time != null && time.isAfter(then);
  }
}
