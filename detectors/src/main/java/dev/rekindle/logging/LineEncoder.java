package dev.rekindle.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Writes an event as one line: time, level, logger, message, the pairs in the order they were
 * given, and the stack trace. No value makes a line long without bound.
 */
final class LineEncoder extends EncoderBase<ILoggingEvent> {
  /** Most characters of a message or a value; a refusal of the API server may have a thousand. */
  private static final int MOST_VALUE = 2_000;

  /**
   * Most characters of the begin and the end of a stack trace; the end has the cause. With both a
   * line mostly stays below the 16 KiB at which container runtimes split it.
   */
  private static final int STACK_HEAD = 5_000;

  private static final int STACK_TAIL = 3_000;
  private static final int MOST_KEY = 64;
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);
  private static final Pattern NOT_OF_A_KEY = Pattern.compile("[^A-Za-z0-9_.-]");
  private static final byte[] NOTHING = {};

  private final LineFormat format;

  LineEncoder(LineFormat format) {
    this.format = format;
  }

  @Override
  public byte[] headerBytes() {
    return NOTHING;
  }

  @Override
  public byte[] footerBytes() {
    return NOTHING;
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    return (line(event) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  private String line(ILoggingEvent event) {
    var line = new StringBuilder(256);
    format.field(line, LineKey.TIME.key(), TIME.format(Instant.ofEpochMilli(event.getTimeStamp())));
    format.field(line, LineKey.LEVEL.key(), event.getLevel().toString().toLowerCase(Locale.ROOT));
    var logger = event.getLoggerName();
    format.field(
        line, LineKey.LOGGER.key(), bounded(logger.substring(logger.lastIndexOf('.') + 1)));
    format.field(line, LineKey.MESSAGE.key(), bounded(text(event.getFormattedMessage())));
    var pairs = event.getKeyValuePairs();
    if (pairs != null) {
      for (var pair : pairs) {
        format.field(line, key(pair.key), value(pair.value));
      }
    }
    var thrown = event.getThrowableProxy();
    if (thrown != null) {
      format.field(
          line,
          LineKey.STACK.key(),
          bounded(ThrowableProxyUtil.asString(thrown).stripTrailing(), STACK_HEAD, STACK_TAIL));
    }
    format.end(line);
    return line.toString();
  }

  /** Ours need nothing; a library's may be anything. */
  private static String key(@Nullable String given) {
    var key = text(given);
    if (LogKey.isKey(key)) {
      return key;
    }
    var plain = NOT_OF_A_KEY.matcher(key).replaceAll("_");
    return "other." + plain.substring(0, Math.min(plain.length(), MOST_KEY));
  }

  private static @Nullable Object value(@Nullable Object value) {
    return switch (value) {
      case null -> null;
      case Integer number -> number;
      case Long number -> number;
      case Boolean yes -> yes;
      case Double number when Double.isFinite(number) -> number;
      case Duration duration -> duration.toString().substring(2).toLowerCase(Locale.ROOT);
      default -> bounded(text(value));
    };
  }

  /** A value that cannot be written must not cost the line. */
  private static String text(@Nullable Object value) {
    try {
      return String.valueOf(value);
    } catch (RuntimeException broken) {
      return "[" + broken.getClass().getName() + " in toString]";
    }
  }

  private static String bounded(String text) {
    return bounded(text, MOST_VALUE, 0);
  }

  /**
   * What is left of a text that is too long, and how much is missing.
   *
   * @param head most characters of its begin
   * @param tail most characters of its end
   */
  private static String bounded(String text, int head, int tail) {
    if (text.length() <= head + tail) {
      return text;
    }
    int from = Character.isHighSurrogate(text.charAt(head - 1)) ? head - 1 : head;
    int to = text.length() - tail;
    to = tail > 0 && Character.isLowSurrogate(text.charAt(to)) ? to + 1 : to;
    return text.substring(0, from)
        + "...["
        + (to - from)
        + " more characters]"
        + (tail > 0 ? "..." + text.substring(to) : "");
  }
}
