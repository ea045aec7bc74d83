package dev.rekindle.detect.judge;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;

/** One JSON object a recognised line. */
final class JsonReport implements Report {
  private static final JsonFactory JSON = new JsonFactory();
  private final PrintStream out;

  JsonReport(PrintStream out) {
    this.out = out;
  }

  @Override
  public boolean add(Judged judged) throws IOException {
    var text = new StringWriter();
    try (var json = JSON.createGenerator(text)) {
      write(json, judged);
    }
    out.print(text.append('\n'));
    return !out.checkError();
  }

  private static void write(JsonGenerator json, Judged judged) throws IOException {
    var finding = judged.finding();
    var judgement = judged.judgement();
    json.writeStartObject();
    if (finding.number().isPresent()) {
      json.writeNumberField("code", finding.number().getAsInt());
    } else {
      json.writeNullField("code");
    }
    json.writeStringField("device", finding.device());
    json.writeStringField("source", finding.source().word());
    json.writeStringField("verdict", judgement.verdict().word());
    json.writeStringField("reason", judgement.reason());
    json.writeStringField("name", finding.name());
    json.writeNumberField("line", judged.line());
    optional(json, "time", judged.time().orElse(""));
    optional(json, "unit", finding.unit());
    optional(json, "action", judgement.action());
    optional(json, "rule", judgement.rule());
    optional(json, "uuid", judged.uuid());
    if (judgement.clears()) {
      json.writeBooleanField("clears", true);
    }
    json.writeEndObject();
  }

  private static void optional(JsonGenerator json, String field, String value) throws IOException {
    if (!value.isEmpty()) {
      json.writeStringField(field, value);
    }
  }

  @Override
  public void end(long lines, int boots) {
    out.flush();
  }
}
