package dev.rekindle.detect.stall;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.Frame;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The innermost frames of the main thread, of what {@code py-spy dump} prints. */
final class PythonStack {
  /** The largest that is read. */
  static final int MOST_BYTES = 4 << 20;

  private static final int FRAMES = RankEvidence.MOST_FRAMES;
  private static final Pattern FRAME =
      Pattern.compile("(?<name>.*) \\((?<file>.*):(?<line>\\d{1,9})\\)");
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
  static List<Frame> read(String text) {
    return text.startsWith("[") ? ofJson(text) : ofText(text);
  }

  private static List<Frame> ofText(String text) {
    List<Frame> frames = new ArrayList<>();
    int at = text.indexOf("\"" + MAIN + "\"");
    at = at < 0 ? -1 : text.indexOf('\n', at);
    while (at >= 0 && frames.size() < FRAMES) {
      int end = text.indexOf('\n', at + 1);
      var line = text.substring(at + 1, end < 0 ? text.length() : end);
      if (!line.startsWith(" ") || line.isBlank()) {
        break;
      }
      frames.add(frame(line.strip()));
      at = end;
    }
    return frames;
  }

  private static List<Frame> ofJson(String text) {
    List<Frame> frames = new ArrayList<>();
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

  private static void thread(JsonParser parser, List<Frame> frames) throws IOException {
    boolean main = false;
    List<Frame> own = List.of();
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

  private static List<Frame> frames(JsonParser parser) throws IOException {
    List<Frame> frames = new ArrayList<>();
    for (var token = parser.nextToken();
        token != JsonToken.END_ARRAY && token != null;
        token = parser.nextToken()) {
      if (token == JsonToken.START_OBJECT) {
        var frame = frame(parser);
        if (frames.size() < FRAMES) {
          frames.add(frame);
        }
      } else {
        parser.skipChildren();
      }
    }
    return frames;
  }

  private static Frame frame(JsonParser parser) throws IOException {
    var function = "";
    var file = "";
    int line = 0;
    for (var name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
      parser.nextToken();
      switch (name) {
        case "name" -> function = parser.getValueAsString("");
        case "short_filename" -> file = parser.getValueAsString(file);
        case "filename" -> file = file.isEmpty() ? parser.getValueAsString("") : file;
        case "line" -> line = parser.getValueAsInt(0);
        default -> parser.skipChildren();
      }
    }
    return new Frame(function, file, line);
  }

  private static Frame frame(String text) {
    var m = FRAME.matcher(text);
    return m.matches()
        ? new Frame(m.group("name"), m.group("file"), Integer.parseInt(m.group("line")))
        : new Frame(text, "", 0);
  }
}
