package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.attemptId;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.controller.checkpoint.CheckpointChoice;
import dev.rekindle.controller.model.GivenCheckpoint;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.ResumeInjection;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What the scripts of a gang that is restarted in place are given to resume from, where their
 * templates read it from an annotation of the pod. Where all pods stay it is the pinned checkpoint.
 * Where one is replaced it is nothing, for all of them: the new pod is made before anything is
 * pinned, and each script then takes the newest checkpoint by itself.
 *
 * <p>Guarantee: no attempt ends its restart while some of its pods were given the pinned checkpoint
 * and others were not, or while a script would take one that was passed over.
 */
final class PinAnnotations {
  private PinAnnotations() {}

  /**
   * Why containers that start again would go back to the checkpoint of an earlier attempt: somebody
   * has written the templates of the job again, but its pods are as they were made, and read their
   * annotations.
   */
  static Optional<String> formerPin(RecoverySnapshot s, JobView job) {
    return job.injection() == ResumeInjection.BY_ANNOTATION
        ? Optional.empty()
        : s.pods().stream()
            .filter(p -> !p.resumeFrom().isEmpty())
            .map(PodView::name)
            .sorted()
            .findFirst()
            .map(
                "pod %s names the checkpoint of an earlier attempt; its template no more"
                    ::formatted);
  }

  /** Why a script that finds its checkpoint by itself would take another one than the pin. */
  static Optional<String> otherThan(
      PinnedCheckpoint pin, RecoverySnapshot s, JobView job, Optional<Generation> generation) {
    boolean takesAnother =
        s.inspection() instanceof Inspection.Report report
            && CheckpointChoice.passesOver(report, pin)
            && (Tracking.follows(job, pin)
                || !(generation.isPresent() && canAnnotateAll(s, job, generation.get())));
    return takesAnother
        ? Optional.of("the script would take a checkpoint that was passed over: " + pin.message())
        : Optional.empty();
  }

  /**
   * Annotates the pods that stay while they are frozen, and gives the restart in place up once a
   * pod is replaced that the others do not agree with; empty when nothing is to be done.
   */
  static Optional<Decision> resume(
      RecoverySnapshot s, JobView job, Policy policy, Generation generation, Instant now) {
    if (job.injection() != ResumeInjection.BY_ANNOTATION) {
      return formerPin(s, job).map(why -> InPlace.rebuild(s, why, now));
    }
    PinnedCheckpoint pin =
        Objects.requireNonNullElseGet(
            InPlace.plan(s).checkpoint(), () -> CheckpointChoice.unknown("none was pinned"));
    Optional<String> disagreement =
        isFreezing(generation)
            ? otherThan(pin, s, job, Optional.of(generation))
            : replacedSince(pin, s, generation);
    return disagreement
        .map(why -> InPlace.rebuild(s, why, now))
        .or(() -> annotate(pin, s, job, policy, generation, now));
  }

  private static boolean isFreezing(Generation generation) {
    return generation.order().spec().instruction() == RestartInstruction.FREEZE;
  }

  /** Whether all pods stay and each can be given the pinned checkpoint. */
  private static boolean canAnnotateAll(RecoverySnapshot s, JobView job, Generation generation) {
    return job.resumeByEnv()
        && job.injection() == ResumeInjection.BY_ANNOTATION
        && s.pods().stream().noneMatch(leaves(generation));
  }

  private static Predicate<PodView> leaves(Generation generation) {
    return p -> p.terminating() || generation.reported(p).isEmpty();
  }

  /** Of a gang that was given the pin, a pod that was replaced since, or is about to be. */
  private static Optional<String> replacedSince(
      PinnedCheckpoint pin, RecoverySnapshot s, Generation generation) {
    Predicate<PodView> given = p -> !pin.path().isEmpty() && p.resumeFrom().equals(pin.path());
    if (s.pods().stream().noneMatch(given)) {
      return Optional.empty();
    }
    return s.pods().stream()
        .filter(leaves(generation))
        .filter(p -> p.terminating() || !given.test(p))
        .map(PodView::name)
        .sorted()
        .findFirst()
        .map("pod %s was replaced after the others were given the pinned checkpoint"::formatted);
  }

  private static Optional<Decision> annotate(
      PinnedCheckpoint pin,
      RecoverySnapshot s,
      JobView job,
      Policy policy,
      Generation generation,
      Instant now) {
    if (!isFreezing(generation)) {
      return Optional.empty();
    }
    boolean gives = canAnnotateAll(s, job, generation) && pin.verdict() == CheckpointVerdict.VALID;
    String wanted = gives ? pin.path() : "";
    List<PodView> others = s.pods().stream().filter(p -> !p.resumeFrom().equals(wanted)).toList();
    Optional<PodView> young =
        others.stream().filter(p -> generation.reported(p).isEmpty()).findFirst();
    if (young.isPresent()) {
      String why = "the new pod %s names another checkpoint".formatted(young.get().name());
      return Optional.of(InPlace.rebuild(s, why, now));
    }
    if (!others.isEmpty() && InPlace.overdue(s, policy.freeze(job.gangSize()), now)) {
      String why = "these pods take no checkpoint from annotations: " + InPlace.names(others);
      return Optional.of(InPlace.rebuild(s, why, now));
    }
    GivenCheckpoint given =
        gives
            ? new GivenCheckpoint(attemptId(s), wanted, pin.step(), pin.format())
            : new GivenCheckpoint(attemptId(s), "", null, "");
    List<Effect> effects =
        others.stream()
            .<Effect>map(p -> new Effect.InjectResume(p.name(), p.uid(), given))
            .toList();
    return effects.isEmpty()
        ? Optional.empty()
        : Optional.of(new Decision.Act(effects, InPlace.RECHECK));
  }
}
