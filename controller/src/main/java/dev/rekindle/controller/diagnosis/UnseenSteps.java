package dev.rekindle.controller.diagnosis;

import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RecoveryView;
import java.util.Optional;

/**
 * Finds jobs whose steps are not seen: no line of their log has a step, or they print nothing.
 * Without steps a stall is not found, and their owners would notice only then.
 */
public final class UnseenSteps {
  private static final String SILENT =
      "no pod of the job has printed anything for 10 minutes, so a stall of it would not be seen."
          + " Let its script print to the standard output, at once (PYTHONUNBUFFERED=1) and not to"
          + " a file alone, or print \"REKINDLE step 12\" (Python package rekindle);"
          + " docs/annotations.md has the lines that are read";

  private UnseenSteps() {}

  /**
   * What to say to the owner of the job; empty where steps are seen or were, and where the job does
   * not run as a whole. Pure.
   */
  public static Optional<String> of(JobSnapshot s) {
    boolean runs =
        s.job().optIn() instanceof OptIn.Yes
            && s.pods().size() == s.job().gangSize()
            && s.pods().stream()
                .allMatch(p -> p.phase() == PodView.Phase.RUNNING && !p.terminating());
    if (!runs || s.recoveries().stream().anyMatch(RecoveryView::sawSteps)) {
      return Optional.empty();
    }
    GangProgress progress = GangProgress.of(s.pods(), s.ranks());
    if (progress.seen()) {
      return Optional.empty();
    }
    return progress.witnesses().stream()
        .filter(RankView::stepless)
        .map(RankView::pod)
        .sorted()
        .findFirst()
        .map(UnseenSteps::ofLines)
        .or(() -> isSilent(s, progress) ? Optional.of(SILENT) : Optional.empty());
  }

  private static String ofLines(String pod) {
    return "pod %s has printed lines for 10 minutes and none names a step, so a stall of the"
            .formatted(pod)
        + " job would not be seen. Say how its lines name steps (annotation"
        + " rekindle.dev/step-pattern), or print \"REKINDLE step 12\" (Python package"
        + " rekindle); docs/annotations.md has the lines that are read without either";
  }

  /** Often one rank prints for all: so each has to be known to print nothing. */
  private static boolean isSilent(JobSnapshot s, GangProgress progress) {
    return s.pods().stream()
        .allMatch(
            pod ->
                progress.witnesses().stream()
                    .anyMatch(rank -> rank.podUid().equals(pod.uid()) && rank.silent()));
  }
}
