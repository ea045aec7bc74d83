package dev.rekindle.simulator.api;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a write did to one object.
 *
 * @param key its key within the kind
 * @param version resource version of the write
 * @param at when it was written
 * @param before the object before, absent when it was created
 * @param after the object after, absent when it is gone
 */
public record Change<T>(
    String key, long version, Instant at, @Nullable T before, @Nullable T after) {
  /** The object, as it is or as it was last. */
  public T object() {
    if (after != null) {
      return after;
    }
    if (before != null) {
      return before;
    }
    throw new IllegalStateException(key);
  }
}
