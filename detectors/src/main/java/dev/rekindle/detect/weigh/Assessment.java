package dev.rekindle.detect.weigh;

import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What repetition says of a fault.
 *
 * @param fences whether it is the hardware
 * @param sameUnit whether it was the same part of the component each time
 * @param reason why, for people: a clause
 * @param until when to weigh again though nothing changes; absent for never
 * @param namespaces whose programs are all there is to say so; empty where no program can cause it
 */
public record Assessment(
    boolean fences,
    boolean sameUnit,
    String reason,
    @Nullable Instant until,
    Set<String> namespaces) {
  /** An immutable copy. */
  public Assessment {
    namespaces = Set.copyOf(namespaces);
  }

  static Assessment light(String reason) {
    return new Assessment(false, false, reason, null, Set.of());
  }

  static Assessment heavy(String reason, boolean sameUnit) {
    return new Assessment(true, sameUnit, reason, null, Set.of());
  }
}
