package dev.rekindle.detect.flightrecorder;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The fields of an object of a dump. A field that is missing, or of another type, is its type's
 * nothing: what a tenant writes has any shape.
 */
final class Fields {
  private static final int LONGEST_TEXT = 256;

  private final Map<?, ?> map;

  private Fields(Map<?, ?> map) {
    this.map = map;
  }

  static Fields of(@Nullable Object value) {
    return new Fields(value instanceof Map<?, ?> fields ? fields : Map.of());
  }

  boolean has(String key) {
    return map.get(key) != null;
  }

  /** The text, cut where it is longer than a name is. */
  String text(String key) {
    return cut(map.get(key));
  }

  /** The text, however long. */
  String wholeText(String key) {
    return map.get(key) instanceof String text ? text : "";
  }

  static String cut(@Nullable Object value) {
    var text = value instanceof String s ? s : "";
    return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT);
  }

  /** The number, also where it is written as text; else {@code otherwise}. */
  long number(String key, long otherwise) {
    return switch (map.get(key)) {
      case Long number -> number;
      case String digits -> digits(digits, otherwise);
      case null, default -> otherwise;
    };
  }

  private static long digits(String digits, long otherwise) {
    try {
      return Long.parseLong(digits);
    } catch (NumberFormatException e) {
      return otherwise;
    }
  }

  boolean flag(String key) {
    return Boolean.TRUE.equals(map.get(key));
  }

  List<?> list(String key) {
    return map.get(key) instanceof List<?> list ? list : List.of();
  }

  Fields fields(String key) {
    return of(map.get(key));
  }

  /** Keys of text. */
  List<String> keys() {
    return map.keySet().stream()
        .filter(String.class::isInstance)
        .map(String.class::cast)
        .sorted()
        .toList();
  }
}
