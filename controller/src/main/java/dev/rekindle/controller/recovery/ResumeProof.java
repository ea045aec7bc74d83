package dev.rekindle.controller.recovery;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RankReportStatus.LoadError;
import dev.rekindle.api.RankReportStatus.Loss;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.api.Saves;
import dev.rekindle.controller.model.RankView;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the first lines of an attempt show of the checkpoint that it was to resume from. What is not
 * seen is Unknown, and no failure. Lines of a log are a tenant's: a forged one hurts the job that
 * it is of, and no other.
 *
 * @param result what they show
 * @param detail one sentence
 */
record ResumeProof(ResumeResult result, String detail) {
  /** A loss that is higher than so many times what it was is far from it. */
  private static final double FAR = 2;

  /** Of a sentence: a line of a log may be long. */
  private static final int QUOTED = 200;

  /**
   * The checkpoint that was pinned, among its neighbours.
   *
   * @param step its step; absent where none was pinned
   * @param oldest step of the oldest checkpoint there is
   * @param interval steps between two checkpoints; absent where fewer than two are known
   */
  record Pin(@Nullable Long step, @Nullable Long oldest, @Nullable Long interval) {
    /** That of a plan. */
    static Pin of(Plan plan) {
      PinnedCheckpoint checkpoint = plan.checkpoint();
      if (checkpoint == null || checkpoint.verdict() != CheckpointVerdict.VALID) {
        return new Pin(null, null, null);
      }
      Saves saves = plan.saves();
      return saves == null
          ? new Pin(checkpoint.step(), null, null)
          : new Pin(checkpoint.step(), saves.oldestStep(), saves.stepsApart());
    }
  }

  /**
   * Judges the reports on the containers of an attempt.
   *
   * @param before what was known of the loss when the job failed; absent where nothing was
   * @param unheard whether a rank is not heard yet that may print a number for its loss where
   *     others always print NaN
   * @param ended lines of those of its containers that have ended since and had made no step
   * @return empty while nothing can be said yet: no step was made, or it is not sure that its loss
   *     stays NaN
   */
  static Optional<ResumeProof> of(
      Pin pin,
      List<RankView> ranks,
      @Nullable Loss before,
      boolean unheard,
      List<LoadError> ended) {
    if (!ended.isEmpty()) {
      LoadError line = ended.getFirst();
      return Optional.of(
          new ResumeProof(
              ResumeResult.LOAD_ERROR,
              "%s cannot be loaded (%s): %s"
                  .formatted(name(pin), line.kind().word(), cut(line.text()))));
    }
    Long first =
        ranks.stream()
            .map(RankView::firstStep)
            .filter(Objects::nonNull)
            .min(Long::compare)
            .orElse(null);
    if (first == null) {
      return Optional.empty();
    }
    Optional<ResumeProof> other = startedElsewhere(pin, first);
    if (other.map(proof -> proof.result() == ResumeResult.FROM_ZERO).orElse(false)) {
      return other;
    }
    List<Loss> losses = ranks.stream().map(RankView::loss).filter(Objects::nonNull).toList();
    boolean finite = losses.isEmpty() || losses.stream().anyMatch(l -> l.value() != null);
    boolean wasFinite = before == null || before.notFinite() == 0;
    if (!finite && wasFinite && !unheard) {
      return losses.stream().anyMatch(l -> l.notFinite() >= Loss.SURE)
          ? Optional.of(
              new ResumeProof(
                  ResumeResult.LOSS_NOT_FINITE,
                  "the loss is NaN or infinite from step %d on, after a resume from %s"
                      .formatted(first, name(pin))))
          : Optional.empty();
    }
    return Optional.of(other.or(() -> farLoss(before, losses)).orElseGet(() -> good(pin, first)));
  }

  /** Whether training has begun elsewhere than behind the pinned checkpoint. */
  private static Optional<ResumeProof> startedElsewhere(Pin pin, long first) {
    Long step = pin.step();
    if (step == null) {
      return Optional.empty();
    }
    long oldest = Objects.requireNonNullElse(pin.oldest(), step);
    String went = "the script continued from step %d although step %d was pinned";
    if (first < step && first <= oldest) {
      return Optional.of(
          new ResumeProof(
              ResumeResult.FROM_ZERO,
              (went + ": a restart from zero, no checkpoint is older than step %d")
                  .formatted(first, step, oldest)));
    }
    if (first < step) {
      return Optional.of(new ResumeProof(ResumeResult.BEHIND, went.formatted(first, step)));
    }
    Long interval = pin.interval();
    return interval != null && first - step > interval
        ? Optional.of(new ResumeProof(ResumeResult.AHEAD, went.formatted(first, step)))
        : Optional.empty();
  }

  private static Optional<ResumeProof> farLoss(@Nullable Loss before, List<Loss> losses) {
    Double was = before == null ? null : before.value();
    Double is = losses.stream().map(Loss::value).filter(Objects::nonNull).findFirst().orElse(null);
    return was != null && is != null && was > 0 && is > FAR * was
        ? Optional.of(
            new ResumeProof(
                ResumeResult.LOSS_FAR, "the loss is %s, and was %s before".formatted(is, was)))
        : Optional.empty();
  }

  private static ResumeProof good(Pin pin, long first) {
    return pin.step() == null
        ? new ResumeProof(ResumeResult.UNKNOWN, "nothing was pinned")
        : new ResumeProof(ResumeResult.PROVEN, "step %d follows %s".formatted(first, name(pin)));
  }

  /** The checkpoint, in words. */
  static String name(Pin pin) {
    return pin.step() == null ? "what the script took" : "the checkpoint of step " + pin.step();
  }

  private static String cut(String text) {
    return text.length() <= QUOTED ? text : text.substring(0, QUOTED);
  }
}
