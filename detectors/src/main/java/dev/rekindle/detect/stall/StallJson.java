package dev.rekindle.detect.stall;

import com.fasterxml.jackson.core.JsonFactory;
import java.io.IOException;
import java.io.StringWriter;

/** A report as one JSON object on one line. */
final class StallJson {
  private static final JsonFactory JSON = new JsonFactory();

  private StallJson() {}

  static String of(StallReport report) throws IOException {
    var text = new StringWriter();
    try (var json = JSON.createGenerator(text)) {
      json.writeStartObject();
      json.writeArrayFieldStart("culprits");
      for (var culprit : report.culprits()) {
        json.writeStartObject();
        json.writeNumberField("rank", culprit.rank());
        json.writeStringField("reason", culprit.reason());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeStringField("class", report.stallClass().word());
      json.writeStringField("confidence", report.confidence().word());
      json.writeArrayFieldStart("evidence");
      for (var fact : report.evidence()) {
        json.writeString(fact);
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    return text.append('\n').toString();
  }
}
