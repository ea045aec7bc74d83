package dev.rekindle.testbed.scale;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** Results as Markdown. */
final class Table {
  private Table() {}

  /** A row for each run; the controller's own parts in bold. */
  static String of(List<String> runs) {
    StringBuilder text = new StringBuilder();
    text.append(
        "| pods | way | total | all but the stand-ins' delays | controller alone | of which |"
            + " waited for |\n");
    text.append("|---|---|---|---|---|---|---|\n");
    for (String run : runs) {
      JsonNode result = Serialization.unmarshal(run, JsonNode.class);
      text.append(
          "| %d | %s%s | %s | %s | **%s** | %s | %s |%n"
              .formatted(
                  result.get("pods").asInt(),
                  result.get("way").asText(),
                  odd(result),
                  seconds(result.get("total").asDouble()),
                  seconds(result.get("total").asDouble() - result.get("standInSeconds").asDouble()),
                  seconds(result.get("added").asDouble()),
                  parts(result, true),
                  parts(result, false)));
    }
    return text.toString();
  }

  /** Whether the job came back at the first attempt, and by the way that was requested. */
  static boolean asWanted(JsonNode result) {
    String plan = result.get("way").asText().equals("inPlace") ? "InPlace" : "Rebuild";
    return result.get("plan").asText().equals(plan)
        && result.get("phase").asText().equals("RECOVERED")
        && result.get("attempt").asInt() == 1;
  }

  private static String odd(JsonNode result) {
    return asWanted(result)
        ? ""
        : " (%s, %s, attempt %d: %s)"
            .formatted(
                result.get("phase").asText(),
                result.get("plan").asText(),
                result.get("attempt").asInt(),
                result.get("reason").asText());
  }

  private static String parts(JsonNode result, boolean own) {
    return StreamSupport.stream(result.get("parts").spliterator(), false)
        .filter(part -> part.get("own").asBoolean() == own)
        .map(part -> part.get("name").asText() + " " + seconds(part.get("seconds").asDouble()))
        .collect(Collectors.joining(", "));
  }

  private static String seconds(double seconds) {
    return String.format(Locale.ROOT, seconds < 10 ? "%.2f" : "%.1f", seconds);
  }
}
