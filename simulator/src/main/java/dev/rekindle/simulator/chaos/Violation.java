package dev.rekindle.simulator.chaos;

import java.time.Instant;

/**
 * An invariant that did not hold.
 *
 * @param invariant which one
 * @param at when, on virtual time
 * @param detail what was seen
 */
public record Violation(Invariant invariant, Instant at, String detail) {
  @Override
  public String toString() {
    return "invariant %d broken at %s: %s: %s"
        .formatted(invariant.number(), at, invariant.text(), detail);
  }
}
