package dev.rekindle.detect.stall;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The innermost frames of the main thread, of what {@code py-spy dump} prints. */
final class PythonStack {
  /** The largest that is read. */
  static final int MOST_BYTES = 4 << 20;

  private static final int FRAMES = 3;
  private static final int LONGEST = 96;
  private static final String MAIN = "MainThread";

  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(32).build())
          .build();

  private PythonStack() {}

  /** Whether a file that begins so is a stack, as text or as JSON. */
  static boolean isStack(String beginning) {
    boolean text = beginning.startsWith("Process ") && beginning.contains("\nPython v");
    return text || (beginning.startsWith("[") && beginning.contains("\"thread_name\""));
  }

  /** The frames, innermost first; empty where there is no main thread. */
  static Optional<String> read(String text) {
    var frames = text.startsWith("[") ? ofJson(text) : ofText(text);
    return frames.isEmpty() ? Optional.empty() : Optional.of(String.join(" < ", frames));
  }

  private static List<String> ofText(String text) {
    List<String> frames = new ArrayList<>();
    int at = text.indexOf("\"" + MAIN + "\"");
    at = at < 0 ? -1 : text.indexOf('\n', at);
    while (at >= 0 && frames.size() < FRAMES) {
      int end = text.indexOf('\n', at + 1);
      var line = text.substring(at + 1, end < 0 ? text.length() : end);
      if (!line.startsWith(" ") || line.isBlank()) {
        break;
      }
      frames.add(cut(line.strip()));
      at = end;
    }
    return frames;
  }

  private static List<String> ofJson(String text) {
    List<String> frames = new ArrayList<>();
    try (var parser = JSON.createParser(text)) {
      parser.nextToken();
      while (frames.isEmpty() && parser.nextToken() == JsonToken.START_OBJECT) {
        thread(parser, frames);
      }
    } catch (IOException e) {
      return List.of();
    }
    return frames;
  }

  private static void thread(JsonParser parser, List<String> frames) throws IOException {
    boolean main = false;
    List<String> own = List.of();
    for (var name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
      var token = parser.nextToken();
      if (name.equals("thread_name")) {
        main = MAIN.equals(parser.getValueAsString());
      } else if (name.equals("frames") && token == JsonToken.START_ARRAY) {
        own = frames(parser);
      } else {
        parser.skipChildren();
      }
    }
    if (main) {
      frames.addAll(own);
    }
  }

  private static List<String> frames(JsonParser parser) throws IOException {
    List<String> frames = new ArrayList<>();
    for (var token = parser.nextToken();
        token != JsonToken.END_ARRAY && token != null;
        token = parser.nextToken()) {
      if (token == JsonToken.START_OBJECT) {
        var frame = frame(parser);
        if (frames.size() < FRAMES) {
          frames.add(cut(frame));
        }
      } else {
        parser.skipChildren();
      }
    }
    return frames;
  }

  private static String frame(JsonParser parser) throws IOException {
    var function = "";
    var file = "";
    var line = "";
    for (var name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
      parser.nextToken();
      switch (name) {
        case "name" -> function = parser.getValueAsString("");
        case "short_filename" -> file = parser.getValueAsString(file);
        case "filename" -> file = file.isEmpty() ? parser.getValueAsString("") : file;
        case "line" -> line = parser.getValueAsString("");
        default -> parser.skipChildren();
      }
    }
    return "%s (%s:%s)".formatted(function, file, line);
  }

  private static String cut(String frame) {
    return frame.length() <= LONGEST ? frame : frame.substring(0, LONGEST);
  }
}
