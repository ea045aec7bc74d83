package dev.rekindle.detect.checkpoint;

import dev.rekindle.detect.checkpoint.json.JsonText;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;

/** Writes one scan as one line of JSON, by hand: a JSON library would be most of the start-up. */
final class ScanLine {
  /** A line of the container log that the runtime does not split. */
  static final int MAX_BYTES = 16 * 1024;

  private ScanLine() {}

  /**
   * The line without its line break; the oldest checkpoints are left out where it gets too long.
   */
  static String write(long scan, Instant began, String directory, Scanner.Result result) {
    for (var count = result.checkpoints().size(); ; count--) {
      var line =
          line(scan, began, directory, result.checkpoints().subList(0, count), result.error());
      if (count == 0 || line.getBytes(StandardCharsets.UTF_8).length < MAX_BYTES) {
        return line;
      }
    }
  }

  private static String line(
      long scan, Instant began, String directory, List<Found> checkpoints, String error) {
    var json = new StringBuilder(4096);
    json.append("{\"scan\":").append(scan).append(",\"began\":");
    JsonText.string(json, began.toString());
    json.append(",\"dir\":");
    JsonText.string(json, directory);
    json.append(",\"checkpoints\":[");
    var separator = "";
    for (var found : checkpoints) {
      json.append(separator).append("{\"path\":");
      JsonText.string(json, found.path());
      json.append(",\"step\":").append(found.step().orElse(-1));
      json.append(",\"format\":");
      JsonText.string(json, found.format());
      json.append(",\"bytes\":").append(found.bytes());
      json.append(",\"modified\":");
      JsonText.string(json, found.modified().toString());
      json.append(",\"verdict\":");
      JsonText.string(json, found.verdict().kind().word());
      json.append(",\"level\":");
      JsonText.string(json, found.verdict().level().name());
      json.append(",\"reason\":");
      JsonText.string(json, found.verdict().reason());
      if (found.verdict().ranks() > 0) {
        json.append(",\"ranks\":").append(found.verdict().ranks());
      }
      json.append('}');
      separator = ",";
    }
    json.append("],\"error\":");
    JsonText.string(json, error);
    return json.append('}').toString();
  }
}
