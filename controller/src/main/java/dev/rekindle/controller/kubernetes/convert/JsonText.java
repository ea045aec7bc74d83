package dev.rekindle.controller.kubernetes.convert;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** JSON inside of texts that tenants and other controllers write; bounded, and never trusted. */
final class JsonText {
  private static final ObjectMapper MAPPER =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  /** The longest name of an object in Kubernetes. */
  private static final int MAX_NAME = 253;

  private JsonText() {}

  /** What the text says as maps, lists and values; empty where it is too long or no JSON. */
  static Optional<Object> parse(String text, int maxLength) {
    if (text.length() > maxLength) {
      return Optional.empty();
    }
    try {
      return Optional.ofNullable(MAPPER.readValue(text, Object.class));
    } catch (JsonProcessingException notJson) {
      return Optional.empty();
    }
  }

  /** The map, or an empty one. */
  static Map<?, ?> map(@Nullable Object value) {
    return value instanceof Map<?, ?> map ? map : Map.of();
  }

  /** The list, or an empty one. */
  static List<?> list(@Nullable Object value) {
    return value instanceof List<?> list ? list : List.of();
  }

  /** The text, or an empty one; of a name that is longer than names are, nothing. */
  static String name(@Nullable Object value) {
    return value instanceof String text && text.length() <= MAX_NAME ? text : "";
  }

  /** The first names of a list, without those that are none. */
  static List<String> names(@Nullable Object value, int most) {
    List<String> names = new ArrayList<>();
    for (Object element : list(value)) {
      if (names.size() < most && !name(element).isEmpty()) {
        names.add(name(element));
      }
    }
    return names;
  }
}
