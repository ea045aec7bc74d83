package dev.rekindle.controller.diagnosis;

import dev.rekindle.api.CauseReason;
import dev.rekindle.api.FormerRun;
import dev.rekindle.api.RankReportStatus.Loss;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Evidence;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RecoveryView;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds gangs whose loss has been NaN or infinite since they resumed from a checkpoint, and was a
 * number before. Trainers that print the loss every few steps show this only after the first step,
 * when the recovery is over.
 */
final class NonFiniteLosses {
  private NonFiniteLosses() {}

  static Optional<Verdict> intoNotANumber(JobSnapshot s) {
    RecoveryStatus last =
        s.recoveries().stream()
            .map(RecoveryView::status)
            .filter(Objects::nonNull)
            .filter(status -> status.phaseSince() != null)
            .max(Comparator.comparing(status -> Objects.requireNonNull(status.phaseSince())))
            .orElse(null);
    if (last == null || !hasResumed(last) || !wasFinite(last)) {
      return Optional.empty();
    }
    GangProgress progress = GangProgress.of(s.pods(), s.ranks());
    List<RankView> heard = progress.witnesses().stream().filter(r -> r.loss() != null).toList();
    boolean begun =
        heard.stream().map(RankView::firstStepTime).anyMatch(at -> isAfterStart(at, last));
    boolean anyFinite = anyFinite(progress, heard);
    Stream<RankView> sure =
        heard.stream().filter(r -> Objects.requireNonNull(r.loss()).notFinite() >= Loss.SURE);
    // A rank that has always printed NaN says nothing of the loss while others are not heard: 0173.
    boolean unheard = differed(last) && heard.size() < s.pods().size();
    return !begun || anyFinite || unheard
        ? Optional.empty()
        : sure.findFirst()
            .map(
                r -> {
                  String what =
                      "the loss is NaN or infinite since the resume from the checkpoint of step "
                          + step(last);
                  return Causes.recover(
                      Causes.of(
                          CauseReason.LOSS_NOT_FINITE,
                          what,
                          List.of(new Evidence(r.node(), r.pod(), what)),
                          List.of(),
                          List.of(),
                          List.of(r.pod()),
                          s));
                });
  }

  /**
   * The same of a gang that the kubelets have restarted by themselves: its scripts have taken a
   * checkpoint that no recovery has pinned, the one before their first step. It is gone back from
   * as for a script that requests it.
   */
  static Optional<Verdict> byKubelets(JobSnapshot s) {
    GangProgress progress = GangProgress.of(s.pods(), s.ranks());
    List<RankView> heard = progress.witnesses().stream().filter(r -> r.loss() != null).toList();
    boolean anyFinite = anyFinite(progress, heard);
    return anyFinite
        ? Optional.empty()
        : heard.stream()
            .filter(NonFiniteLosses::restartedIntoNotANumber)
            .min(Comparator.comparing(r -> Objects.requireNonNull(r.firstStep())))
            .map(r -> gone(r, s));
  }

  /** Whether a rank has printed a number, if one whose container has ended since. */
  private static boolean anyFinite(GangProgress progress, List<RankView> heard) {
    Loss loss = progress.loss();
    return (loss != null && loss.value() != null)
        || heard.stream().anyMatch(r -> Objects.requireNonNull(r.loss()).value() != null);
  }

  private static boolean restartedIntoNotANumber(RankView rank) {
    Loss loss = Objects.requireNonNull(rank.loss());
    Long first = rank.firstStep();
    // Before the first steps of all nothing was loaded.
    return rank.restartCount() > 0
        && first != null
        && first > 2
        && loss.before() != null
        && loss.notFinite() >= Loss.SURE;
  }

  private static Verdict gone(RankView rank, JobSnapshot s) {
    long first = Objects.requireNonNull(rank.firstStep());
    String what =
        "the loss is NaN or infinite since the kubelets restarted the containers, from step %d on"
            .formatted(first);
    Cause cause =
        Causes.of(
            CauseReason.LOSS_NOT_FINITE,
            what,
            List.of(new Evidence(rank.node(), rank.pod(), what)),
            List.of(),
            List.of(),
            List.of(rank.pod()),
            s);
    // Logs differ by one in what they call a step: the checkpoint is of the first one, or of that
    // before it.
    return Causes.recover(cause.withBeforeStep(first - 1));
  }

  private static boolean hasResumed(RecoveryStatus last) {
    return last.phase() == RecoveryPhase.RECOVERED
        && last.comeBacks() == null
        && step(last) != null;
  }

  private static @Nullable Long step(RecoveryStatus last) {
    return last.outcome() == null ? null : last.outcome().resumedStep();
  }

  /** Where it was NaN before the failure as well, no checkpoint is to blame. */
  private static boolean wasFinite(RecoveryStatus last) {
    Cause cause = last.cause();
    Loss loss = cause == null ? null : cause.loss();
    return loss != null && loss.value() != null && loss.notFinite() == 0;
  }

  /** Whether its ranks did not agree, before the failure, on whether the loss is a number. */
  private static boolean differed(RecoveryStatus last) {
    FormerRun before = last.cause() == null ? null : last.cause().before();
    return before != null && Boolean.TRUE.equals(before.lossesDiffer());
  }

  /** Whether a step is of the gang that the recovery has started: by clocks of two machines. */
  private static boolean isAfterStart(@Nullable Instant step, RecoveryStatus last) {
    return step != null
        && last.timeline().stream()
            .filter(entry -> entry.phase() == RecoveryPhase.VERIFYING)
            .reduce((_, newer) -> newer)
            .map(entry -> step.plusSeconds(5).isAfter(entry.time()))
            .orElse(false);
  }
}
