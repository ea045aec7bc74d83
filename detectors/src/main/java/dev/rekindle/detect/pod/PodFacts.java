package dev.rekindle.detect.pod;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a pod's failure is judged by.
 *
 * @param phase {@code Pending}, {@code Running}, {@code Failed}, ...; may be empty
 * @param reason reason of the pod's status, such as {@code Evicted}; may be empty
 * @param message its sentence; may be empty
 * @param deletionAsked when somebody requested the pod's deletion, if anybody did; a container that
 *     ends after that ended on demand
 * @param disruption the pod's condition {@code DisruptionTarget}, when it is true
 * @param notScheduled the pod's condition {@code PodScheduled}, when it is false
 * @param containers containers in the order of the spec, init containers last
 */
public record PodFacts(
    String phase,
    String reason,
    String message,
    @Nullable Instant deletionAsked,
    Optional<Why> disruption,
    Optional<Why> notScheduled,
    List<ContainerFacts> containers) {

  /**
   * A condition that stands.
   *
   * @param reason its reason, one word
   * @param message its sentence, may be empty
   * @param since when it came to stand
   */
  public record Why(String reason, String message, @Nullable Instant since) {}
}
