package dev.rekindle.simulator.api;

import java.util.Map;
import java.util.function.Function;

/**
 * One kind of objects.
 *
 * @param name plural, for messages
 * @param fields fields that a selector may name, and how they are read; {@code metadata.name} needs
 *     no entry
 * @param graceful whether an object of it, once deleted, stays until its grace period is confirmed
 *     over; the answer is the grace period in seconds where none is requested, 0 for at once
 */
public record Kind<T extends ApiObject<T>>(
    String name, Map<String, Function<T, String>> fields, Function<T, Long> graceful) {
  public Kind {
    fields = Map.copyOf(fields);
  }
}
