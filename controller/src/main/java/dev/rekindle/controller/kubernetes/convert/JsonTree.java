package dev.rekindle.controller.kubernetes.convert;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * JSON as maps and lists: a patch keeps the fields that none of the Java types has. A getter that
 * finds another type than expected returns the same as for an absent field.
 */
final class JsonTree {
  private JsonTree() {}

  /** A copy that shares no map and no list with the original. */
  static Map<String, @Nullable Object> copy(Map<String, ? extends @Nullable Object> map) {
    Map<String, @Nullable Object> copy = new LinkedHashMap<>();
    map.forEach((key, value) -> copy.put(key, copyOf(value)));
    return copy;
  }

  private static @Nullable Object copyOf(@Nullable Object value) {
    if (value instanceof Map<?, ?>) {
      return copy(cast(value));
    }
    if (value instanceof List<?> list) {
      List<@Nullable Object> copy = new ArrayList<>();
      list.forEach(element -> copy.add(copyOf(element)));
      return copy;
    }
    return value;
  }

  /** The object under the key; created when it is not there. */
  static Map<String, @Nullable Object> child(Map<String, @Nullable Object> map, String key) {
    if (!(map.get(key) instanceof Map<?, ?>)) {
      map.put(key, new LinkedHashMap<String, @Nullable Object>());
    }
    return cast(Objects.requireNonNull(map.get(key)));
  }

  /** The objects in the list under the key, live; empty when there is no such list. */
  static List<Map<String, @Nullable Object>> objects(
      Map<String, ? extends @Nullable Object> map, String key) {
    List<Map<String, @Nullable Object>> found = new ArrayList<>();
    if (map.get(key) instanceof List<?> list) {
      for (Object element : list) {
        if (element instanceof Map<?, ?>) {
          found.add(cast(element));
        }
      }
    }
    return found;
  }

  /** Sets the key, or removes it when there is nothing left to set. */
  static void setOrRemove(Map<String, @Nullable Object> map, String key, List<?> list) {
    if (list.isEmpty()) {
      map.remove(key);
    } else {
      map.put(key, list);
    }
  }

  /** Removes the key if its object is empty. */
  static void prune(Map<String, @Nullable Object> map, String key) {
    if (map.get(key) instanceof Map<?, ?> child && child.isEmpty()) {
      map.remove(key);
    }
  }

  @SuppressWarnings("unchecked") // JSON objects have text keys
  static Map<String, @Nullable Object> cast(Object object) {
    return (Map<String, @Nullable Object>) object;
  }
}
