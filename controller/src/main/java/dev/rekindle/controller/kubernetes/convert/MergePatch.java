package dev.rekindle.controller.kubernetes.convert;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** JSON merge patches, RFC 7396. */
final class MergePatch {
  private MergePatch() {}

  /** The smallest patch that turns one object into the other; empty when they are equal. */
  static Map<String, @Nullable Object> between(
      Map<String, @Nullable Object> before, Map<String, @Nullable Object> after) {
    Map<String, @Nullable Object> patch = new LinkedHashMap<>();
    after.forEach(
        (key, next) -> {
          Object previous = before.get(key);
          if (Objects.equals(previous, next)) {
            return;
          }
          patch.put(
              key,
              previous instanceof Map<?, ?> && next instanceof Map<?, ?>
                  ? between(JsonTree.cast(previous), JsonTree.cast(next))
                  : next);
        });
    before
        .keySet()
        .forEach(
            key -> {
              if (!after.containsKey(key)) {
                patch.put(key, null);
              }
            });
    return patch;
  }
}
