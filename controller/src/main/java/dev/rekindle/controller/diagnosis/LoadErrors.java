package dev.rekindle.controller.diagnosis;

import dev.rekindle.api.RankReportStatus.LoadError;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Containers that ended because their script could not load a checkpoint. Their next run would load
 * the same one.
 */
final class LoadErrors {
  private LoadErrors() {}

  /**
   * The first line by which an ended container says that a checkpoint cannot be loaded. It counts
   * if the container ended after it, if the gang has made no step since, and if it is of the run
   * that ended last: an agent keeps the line of a rank that prints no steps through later runs.
   *
   * @param ended pods with a container that ended
   */
  static Optional<LoadError> of(JobSnapshot s, List<PodView> ended) {
    Instant last = GangProgress.of(s.pods(), s.ranks()).lastStepTime();
    return ended.stream()
        .flatMap(pod -> s.ranks().stream().filter(rank -> isEnd(rank, pod, last)))
        .map(RankView::loadError)
        .filter(Objects::nonNull)
        .min(Comparator.comparing(LoadError::time));
  }

  private static boolean isEnd(RankView rank, PodView pod, @Nullable Instant last) {
    LoadError line = rank.loadError();
    Instant exit = pod.lastExit();
    return line != null
        && exit != null
        && rank.podUid().equals(pod.uid())
        && rank.firstStep() == null
        && line.run() >= pod.restarts() - 1
        // Kubernetes keeps the end of a container in whole seconds, cut off.
        && !exit.plusSeconds(1).isBefore(line.time())
        && (last == null || line.time().isAfter(last));
  }

  /** The line, for people. */
  static String sentence(LoadError line) {
    return "a checkpoint cannot be loaded (%s): %s".formatted(line.kind().word(), line.text());
  }
}
