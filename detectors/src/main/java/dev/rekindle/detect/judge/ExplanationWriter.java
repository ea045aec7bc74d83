package dev.rekindle.detect.judge;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.rekindle.detect.knowledge.Entry;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** Writes what a word means: as text for a terminal, or one JSON object a line. */
final class ExplanationWriter {
  /** Columns of the text. */
  private static final int WIDTH = 110;

  private static final int INDENT = 17;

  private final PrintStream out;
  private final boolean json;

  ExplanationWriter(PrintStream out, boolean json) {
    this.out = out;
    this.json = json;
  }

  /** A code of a kernel log. */
  void write(Explanation code) {
    List<String> toDo = code.actions().stream().map(a -> a + ": " + Explanation.toDo(a)).toList();
    if (json) {
      json(
          to -> {
            to.writeStringField("name", code.name());
            to.writeStringField("meaning", code.meaning());
            to.writeStringField("driverName", code.driverName());
            to.writeStringField("impact", code.impact());
            array(to, "rekindle", code.does());
            array(to, "toDo", toDo);
            to.writeStringField("note", code.note());
            to.writeBooleanField("known", code.known());
          });
      return;
    }
    out.println(code.name() + ": " + code.meaning());
    line("driver's name", code.driverName());
    line("impact", code.impact());
    lines("Rekindle", code.does());
    lines("to do", toDo);
    line("note", code.note());
    if (!code.known()) {
      line("note", "no catalogue or rule knows it; it is never ignored and never fences on sight");
    }
    out.println();
  }

  /** A term of Rekindle. */
  void write(Entry entry) {
    if (json) {
      json(
          to -> {
            to.writeStringField("kind", entry.kind().word());
            to.writeStringField("name", entry.code());
            to.writeStringField("meaning", entry.meaning());
            to.writeStringField("impact", entry.impact());
            array(to, "rekindle", List.of(entry.does()));
            array(to, "diagnosis", entry.diagnosis());
            array(to, "toDo", List.of(entry.toDo()));
          });
      return;
    }
    line(entry.code() + " (" + entry.kind().word() + "): " + entry.meaning());
    line("impact", entry.impact());
    line("Rekindle", entry.does());
    lines("diagnosis", entry.diagnosis());
    line("to do", entry.toDo());
    out.println();
  }

  /** A row of a list. */
  void row(String name, String meaning) {
    out.printf("%-22s %s%n", name, meaning);
  }

  private void lines(String title, List<String> texts) {
    for (int i = 0; i < texts.size(); i++) {
      line(i == 0 ? title : "", texts.get(i));
    }
  }

  private void line(String title, String text) {
    if (!text.isEmpty()) {
      List<String> wrapped = wrapped(text, WIDTH - INDENT);
      out.printf("  %-14s %s%n", title, wrapped.getFirst());
      wrapped.stream().skip(1).forEach(more -> out.println(" ".repeat(INDENT) + more));
    }
  }

  private void line(String text) {
    wrapped(text, WIDTH).forEach(out::println);
  }

  /** A word that is longer than the width stands on a line of its own: it may be a command. */
  private static List<String> wrapped(String text, int width) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    for (String word : text.split(" ", -1)) {
      if (!line.isEmpty() && line.length() + 1 + word.length() > width) {
        lines.add(line.toString());
        line.setLength(0);
      }
      line.append(line.isEmpty() ? "" : " ").append(word);
    }
    lines.add(line.toString());
    return lines;
  }

  /** Fields of an object. */
  private interface Fields {
    void write(JsonGenerator to) throws IOException;
  }

  private void json(Fields fields) {
    var text = new StringWriter();
    try (var to = new JsonFactory().createGenerator(text)) {
      to.writeStartObject();
      fields.write(to);
      to.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    out.println(text);
  }

  private static void array(JsonGenerator to, String name, List<String> values) throws IOException {
    to.writeArrayFieldStart(name);
    for (String value : values) {
      to.writeString(value);
    }
    to.writeEndArray();
  }
}
