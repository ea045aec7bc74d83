package dev.rekindle.detect.weigh;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** One burst of a fault, as far as weighing needs it. */
public interface Incident {
  /** Its first record. */
  Instant firstSeen();

  /** Its newest record. */
  Instant lastSeen();

  /** The word within the code that decided what it means; empty where there was none. */
  String mark();

  /** The part of the component that its first record named; may be empty. */
  String unit();

  /** All parts that it named, where there were several. */
  List<String> units();

  /** Namespace of the pod that was hit; empty where it is not known. */
  String namespace();

  /** Name of what that pod belongs to in the end; empty where it is not known. */
  String owner();

  /** UID of its job; empty where it is not known. */
  String jobUid();

  /** Name of the process that was hit; empty where it is not known. */
  String process();

  /** Boot it was seen in; empty where it is not known. */
  String bootId();

  /** The program that was hit. */
  default Program program() {
    return Program.of(this);
  }

  /** The only part that it named; empty where it named none, or several. */
  default String onlyUnit() {
    return units().size() > 1 ? "" : unit();
  }

  /** Whether both are no further apart than this. */
  default boolean isNear(Incident other, Duration window) {
    return Duration.between(lastSeen(), other.lastSeen()).abs().compareTo(window) <= 0;
  }
}
