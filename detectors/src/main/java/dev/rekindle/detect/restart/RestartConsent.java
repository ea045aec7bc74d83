package dev.rekindle.detect.restart;

import dev.rekindle.detect.pod.TrainingPod;
import java.util.Optional;

/** Knows which jobs may be restarted. */
@FunctionalInterface
public interface RestartConsent {
  /** Whether the job of a pod may be restarted, as last read; empty while it was never read. */
  Optional<Boolean> of(TrainingPod pod);
}
