package dev.rekindle.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;

/** The page of keys is written from the enum and the encoder, so that it cannot lag behind. */
class LogReferenceTest {
  private static final Path PAGE = Path.of("..", "docs", "reference", "logs.md");

  @Test
  void shouldFindThePageAsTheKeysSay() throws IOException {
    var wanted = page();
    var found = Files.exists(PAGE) ? Files.readString(PAGE) : "";
    if (!found.equals(wanted)) {
      Files.writeString(PAGE, wanted);
    }

    assertThat(found)
        .as("%s has been rewritten: review the difference, commit it, and run again", PAGE)
        .isEqualTo(wanted);
  }

  private static String page() {
    return """
    # Log lines

    Controller, agent and console write one line per event to standard error. The values `logFormat` and `logLevel` of
    the chart set the format and the lowest level; libraries log at level `warn` and above. This page is written by the
    build from `logging/LogKey.java`.

    `logFormat: logfmt`:

        %s

    `logFormat: json`, one JSON object (RFC 8259) per line:

        %s

    A message or a value has at most 2,000 characters, a stack trace at most 8,000. Longer ones are cut, with
    `...[N more characters]` in place of the rest. Line breaks, control characters and invisible characters are
    escaped (`\\n`, `\\u001b`), so that one line of the log is always one event, whatever a tenant has put into a
    name or a message.

    - logfmt: a value is in double quotes if it is empty or contains a character that is not visible ASCII, or `=`, `"`
      or `\\`. Inside the quotes it is escaped like a JSON string.
    - JSON: numbers and booleans have no quotes. A missing value is `null`.

    Every line has these keys, in this order. The keys of the second table are between `msg` and `stack`:

    | key | value |
    |---|---|
    %s

    The message decides which of these keys a line has. Keys of libraries begin with `other.`; there are no further
    keys.

    | key | value |
    |---|---|
    %s
    """
        .formatted(
            example(LineFormat.LOGFMT),
            example(LineFormat.JSON),
            Arrays.stream(LineKey.values())
                .map(key -> row(key.key(), key.meaning()))
                .collect(Collectors.joining("\n")),
            Arrays.stream(LogKey.values())
                .map(key -> row(key.key(), key.meaning()))
                .collect(Collectors.joining("\n")));
  }

  private static String row(String key, String meaning) {
    return "| `" + key + "` | " + meaning + " |";
  }

  private static String example(LineFormat format) {
    var context = new LoggerContext();
    var event = new LoggingEvent();
    event.setLoggerName("dev.rekindle.controller.recovery.StoredMoves");
    event.setLoggerContext(context);
    event.setLevel(Level.INFO);
    event.setMessage("Recovery moved on");
    event.setInstant(Instant.parse("2026-11-23T15:36:40.700Z"));
    event.addKeyValuePair(new KeyValuePair(LogKey.JOB.key(), "team/demo"));
    event.addKeyValuePair(new KeyValuePair(LogKey.RECOVERY.key(), "demo-r1"));
    event.addKeyValuePair(new KeyValuePair(LogKey.PHASE.key(), "Draining"));
    event.addKeyValuePair(new KeyValuePair(LogKey.ATTEMPT.key(), 1));
    event.addKeyValuePair(new KeyValuePair(LogKey.DETAIL.key(), "cordoned: n1"));
    return new String(new LineEncoder(format).encode(event), StandardCharsets.UTF_8).strip();
  }
}
