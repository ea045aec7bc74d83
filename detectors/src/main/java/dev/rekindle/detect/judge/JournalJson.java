package dev.rekindle.detect.judge;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.rekindle.detect.judge.LogLine.Kind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Entries of {@code journalctl -o json}, one object a line. */
final class JournalJson {
  private static final JsonFactory JSON = new JsonFactory();

  private String message = "";
  private String transport = "";
  private String identifier = "";
  private String facility = "0";
  private String boot = "";
  private Stamp stamp = new Stamp.None();

  private JournalJson() {}

  static LogLine read(String line) {
    var entry = new JournalJson();
    try (var parser = JSON.createParser(line)) {
      parser.nextToken();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        var field = parser.currentName();
        parser.nextToken();
        entry.take(field, parser);
      }
    } catch (IOException | NumberFormatException e) {
      return LogLine.other(new Stamp.None());
    }
    var kernel =
        entry.transport.isEmpty()
            ? entry.identifier.equals("kernel")
            : entry.transport.equals("kernel") && entry.facility.equals("0");
    return new LogLine(
        kernel ? Kind.KERNEL : Kind.OTHER, entry.stamp, entry.boot, kernel ? entry.message : "");
  }

  private void take(String field, JsonParser parser) throws IOException {
    switch (field) {
      case "MESSAGE" -> message = text(parser);
      case "_TRANSPORT" -> transport = text(parser);
      // What a process writes into /dev/kmsg comes over the same transport.
      case "SYSLOG_FACILITY" -> facility = text(parser);
      case "SYSLOG_IDENTIFIER" -> identifier = text(parser);
      case "_BOOT_ID" -> boot = text(parser);
      case "__REALTIME_TIMESTAMP" ->
          stamp =
              new Stamp.Moment(Instant.EPOCH.plus(Long.parseLong(text(parser)), ChronoUnit.MICROS));
      default -> parser.skipChildren();
    }
  }

  /** A text; one that is not all printable comes as an array of its bytes. */
  private static String text(JsonParser parser) throws IOException {
    if (parser.currentToken() != JsonToken.START_ARRAY) {
      parser.skipChildren();
      return parser.currentToken().isScalarValue() ? parser.getText() : "";
    }
    var bytes = new ByteArrayOutputStream();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      bytes.write(parser.currentToken() == JsonToken.VALUE_NUMBER_INT ? parser.getIntValue() : '?');
      parser.skipChildren();
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
