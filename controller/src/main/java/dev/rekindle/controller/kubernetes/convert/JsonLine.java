package dev.rekindle.controller.kubernetes.convert;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A line of a log that is a JSON object. What is in it may be a tenant's, and is bounded. */
final class JsonLine {
  private static final int MAX_TEXT = 256;

  private JsonLine() {}

  /** The object in the line; empty where it is none, or longer than so many characters. */
  static Optional<Map<?, ?>> parse(KubernetesSerialization json, String line, int most) {
    if (line.length() > most || !line.startsWith("{") || !line.endsWith("}")) {
      return Optional.empty();
    }
    try {
      return Optional.of(json.unmarshal(line, Map.class));
    } catch (IllegalArgumentException | KubernetesClientException notJson) {
      return Optional.empty();
    }
  }

  /** A value that is text, cut and without control characters; empty where it is none. */
  static String text(@Nullable Object value) {
    if (!(value instanceof String text)) {
      return "";
    }
    String bounded = text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) : text;
    return bounded.replaceAll("\\p{Cc}", " ");
  }
}
