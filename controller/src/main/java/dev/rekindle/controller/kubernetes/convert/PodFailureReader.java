package dev.rekindle.controller.kubernetes.convert;

import dev.rekindle.controller.model.PodView;
import dev.rekindle.detect.pod.PodFailure;
import dev.rekindle.detect.pod.PodFailures;
import io.fabric8.kubernetes.api.model.Pod;
import org.jspecify.annotations.Nullable;

/** The pod detector's findings in the words of the view. */
final class PodFailureReader {
  private PodFailureReader() {}

  static PodView.@Nullable Failure of(Pod pod) {
    return PodFailures.classify(pod).map(failure -> view(failure, pod)).orElse(null);
  }

  private static PodView.Failure view(PodFailure failure, Pod pod) {
    String phase = pod.getStatus() == null ? "" : pod.getStatus().getPhase();
    return new PodView.Failure(
        word(failure.kind()),
        cannotStart(failure.kind(), phase),
        failure.evidence(),
        failure.exitCode().isPresent() ? failure.exitCode().getAsInt() : null);
  }

  private static String word(PodFailure.Kind kind) {
    return switch (kind) {
      case NODE_LOST -> "NodeLost";
      case EVICTED -> "Evicted";
      case PREEMPTED -> "Preempted";
      case OOM_KILLED -> "OutOfMemory";
      case SIGNAL -> "Signal";
      case EXIT_CODE -> "ExitCode";
      case IMAGE_PULL -> "ImagePull";
      case START_ERROR -> "StartError";
      case CRASH_LOOP -> "CrashLoop";
      case UNSCHEDULABLE -> "Unschedulable";
    };
  }

  /** A pod that failed as a whole was refused by its node, and another node may take it. */
  private static boolean cannotStart(PodFailure.Kind kind, String phase) {
    return switch (kind) {
      case IMAGE_PULL -> true;
      case START_ERROR -> !"Failed".equals(phase);
      case NODE_LOST,
          EVICTED,
          PREEMPTED,
          OOM_KILLED,
          SIGNAL,
          EXIT_CODE,
          CRASH_LOOP,
          UNSCHEDULABLE ->
          false;
    };
  }
}
