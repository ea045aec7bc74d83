package dev.rekindle.controller.app;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Optional;

/**
 * What came of the test event of one webhook. It passes from the pod of the controller to the
 * command as a line of JSON.
 *
 * @param webhook its name; empty where it is about the settings as a whole
 * @param taken whether the receiver has taken it
 * @param detail what it answered, or why it was not asked
 */
record NotifyTestResult(String webhook, boolean taken, String detail) {
  /** Asks role {@code notify-test} of the image for lines of JSON. */
  static final String JSON = "--json";

  private static final ObjectMapper MAPPER = new ObjectMapper();

  static NotifyTestResult failed(String webhook, String detail) {
    return new NotifyTestResult(webhook, false, detail);
  }

  /** A line for a person. */
  String text() {
    return (taken ? "ok       " : "FAILED   ") + (webhook.isEmpty() ? "" : webhook + ": ") + detail;
  }

  /** A line for the command. */
  String json() {
    try {
      return MAPPER.writeValueAsString(this);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Reads such a line; empty for any other, such as a warning of the JVM. */
  static Optional<NotifyTestResult> read(String line) {
    if (!line.startsWith("{")) {
      return Optional.empty();
    }
    try {
      var node = MAPPER.readTree(line);
      return node.hasNonNull("taken")
          ? Optional.of(
              new NotifyTestResult(
                  node.path("webhook").asText(),
                  node.path("taken").asBoolean(),
                  node.path("detail").asText()))
          : Optional.empty();
    } catch (JsonProcessingException notJson) {
      return Optional.empty();
    }
  }
}
