package dev.rekindle.detect.rules;

import java.time.Duration;
import java.util.Set;

/**
 * What makes a finding the echo of another.
 *
 * @param names the other, such as {@code xid 79}
 * @param within how long before
 * @param same where: on the same device, or anywhere on the node
 * @param verdict what follows then
 * @param because why; may be empty
 */
public record Inhibition(
    Set<String> names, Duration within, InhibitionScope same, Verdict verdict, String because) {
  /** An immutable copy. */
  public Inhibition {
    names = Set.copyOf(names);
  }
}
