package dev.rekindle.detect.checkpoint;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;

/** Writes one scan as one line of JSON, by hand: a JSON library would be most of the start-up. */
final class ScanLine {
  /** A line of the container log that the runtime does not split. */
  static final int MAX_BYTES = 16 * 1024;

  private ScanLine() {}

  /**
   * The line without its line break; the oldest checkpoints are left out where it gets too long.
   */
  static String write(long scan, Instant began, Path directory, Scanner.Result result) {
    for (var count = result.checkpoints().size(); ; count--) {
      var line =
          line(scan, began, directory, result.checkpoints().subList(0, count), result.error());
      if (count == 0 || line.getBytes(StandardCharsets.UTF_8).length < MAX_BYTES) {
        return line;
      }
    }
  }

  private static String line(
      long scan, Instant began, Path directory, List<Found> checkpoints, String error) {
    var json = new StringBuilder(4096);
    json.append("{\"scan\":").append(scan).append(",\"began\":");
    string(json, began.toString());
    json.append(",\"dir\":");
    string(json, directory.toString());
    json.append(",\"checkpoints\":[");
    var separator = "";
    for (var found : checkpoints) {
      json.append(separator).append("{\"path\":");
      string(json, found.path().toString());
      json.append(",\"step\":").append(found.step().orElse(-1));
      json.append(",\"format\":");
      string(json, found.format());
      json.append(",\"bytes\":").append(found.bytes());
      json.append(",\"modified\":");
      string(json, found.modified().toString());
      json.append(",\"verdict\":");
      string(json, found.verdict().kind().word());
      json.append(",\"level\":");
      string(json, found.verdict().level().name());
      json.append(",\"reason\":");
      string(json, found.verdict().reason());
      json.append('}');
      separator = ",";
    }
    json.append("],\"error\":");
    string(json, error);
    return json.append('}').toString();
  }

  /** A JSON string in ASCII: file names are the tenant's and may hold anything. */
  private static void string(StringBuilder json, String text) {
    json.append('"');
    for (int i = 0; i < text.length(); i++) {
      var c = text.charAt(i);
      if (c == '"' || c == '\\') {
        json.append('\\').append(c);
      } else if (c >= ' ' && c <= '~') {
        json.append(c);
      } else {
        json.append("\\u").append(HexFormat.of().toHexDigits(c));
      }
    }
    json.append('"');
  }
}
