package dev.rekindle.detect.pod;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the status of one container says.
 *
 * @param name the container
 * @param restarts how often the kubelet started it again
 * @param running whether it runs now
 * @param waiting why it waits, when it does
 * @param terminated how it ended, when it has and was not started again
 * @param lastTerminated how the run before this one ended, when there was one
 */
public record ContainerFacts(
    String name,
    int restarts,
    boolean running,
    Optional<Waiting> waiting,
    Optional<Ended> terminated,
    Optional<Ended> lastTerminated) {

  /**
   * A container that waits.
   *
   * @param reason the kubelet's word, such as {@code ImagePullBackOff}
   * @param message its sentence, may be empty
   */
  public record Waiting(String reason, String message) {}

  /**
   * A container run that ended.
   *
   * @param exitCode as the runtime reports it
   * @param signal as the runtime reports it; 0 when it does not, which is the rule
   * @param reason {@code Error}, {@code Completed}, {@code OOMKilled}, ...; may be empty
   * @param message may be empty
   * @param finishedAt when it ended, where known
   */
  public record Ended(
      int exitCode, int signal, String reason, String message, @Nullable Instant finishedAt) {}
}
