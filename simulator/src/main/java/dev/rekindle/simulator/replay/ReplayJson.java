package dev.rekindle.simulator.replay;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.time.Duration;
import java.util.Optional;

/**
 * A comparison for machines: times in seconds, ratios from 0 to 1. What stands where is in a
 * template; what that gives is read and written again, so nothing comes out that is not JSON.
 */
final class ReplayJson {
  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .enable(JsonReadFeature.ALLOW_TRAILING_COMMA)
          .enable(SerializationFeature.INDENT_OUTPUT)
          .build();

  private ReplayJson() {}

  static String of(Comparison comparison) {
    try {
      String json = ReplayReport.render("json.jte", comparison);
      return MAPPER.writeValueAsString(MAPPER.readTree(json)).replace("\r\n", "\n") + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("the template is not JSON", e);
    }
  }

  static String quoted(String text) {
    return MAPPER.getNodeFactory().textNode(text).toString();
  }

  static String orNull(Optional<Duration> time) {
    return time.map(Durations::seconds).map(String::valueOf).orElse("null");
  }

  /** Six digits after the point: more is noise. */
  static double rounded(double value) {
    return Math.round(value * 1e6) / 1e6;
  }
}
