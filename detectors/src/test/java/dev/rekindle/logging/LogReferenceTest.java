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

    Controller and agent write one line for each event to standard error. The chart's `logFormat` says how, `logLevel`
    how much; libraries are logged from warn. Written by the build from `logging/LogKey.java`.

    `logFormat: logfmt`:

        %s

    `logFormat: json`, an object of JSON (RFC 8259) for each line:

        %s

    In both a message or a value has at most 2,000 characters, a stack trace 8,000; what is cut leaves `...[N more
    characters]`. A value of logfmt is in double quotes where it is empty, or has anything but the visible characters of
    ASCII, or one of `=`, `"` and `\\`; there it is escaped as a string of JSON is. In both, ends of lines, control
    characters and invisible characters are escaped (`\\n`, `\\u001b`): a line of the log is one event, whatever a
    tenant has put into a name or a message. Numbers and booleans of JSON have no quotes; `null` is a value that does
    not exist.

    Each line has these keys, in this order, and the values between `msg` and `stack`:

    | key | value |
    |---|---|
    %s

    The keys of values. There are no others but those of libraries, which begin with `other.`; which of them a line has
    depends on its message alone.

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
    event.setLoggerName("dev.rekindle.controller.recovery.RecoveryWriter");
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
