package dev.rekindle.detect.checkpoint;

import dev.rekindle.detect.checkpoint.json.JsonText;
import dev.rekindle.detect.checkpoint.tracker.TrackerOutcome;
import dev.rekindle.detect.checkpoint.tracker.TrackerWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;

/**
 * Makes the tracker of a checkpoint directory name one checkpoint, once, for an owner who has opted
 * in. Prints one line of JSON that says what came of it.
 */
public final class TrackerMain {
  private static final List<String> OPTIONS =
      List.of("--dir", "--checkpoint", "--format", "--attempt", "--until");

  private TrackerMain() {}

  /**
   * Writes it.
   *
   * @param args {@code --dir DIR --checkpoint DIR/FOLDER --format FORMAT --attempt ID --until
   *     TIME}, all of them. Exit code 2 says that they make no sense
   */
  public static void main(String[] args) {
    var out =
        new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.US_ASCII);
    try {
      out.print(line(run(args, InstantSource.system())) + "\n");
      out.flush();
    } catch (IllegalArgumentException e) {
      System.err.println("tracker: " + e.getMessage());
      System.exit(2);
    }
  }

  /**
   * The same with another clock.
   *
   * @throws IllegalArgumentException where the arguments make no sense
   */
  static TrackerOutcome run(String[] args, InstantSource clock) {
    var values = new HashMap<String, String>();
    for (int i = 0; i < args.length; i += 2) {
      if (!OPTIONS.contains(args[i]) || i + 1 == args.length) {
        throw new IllegalArgumentException("unknown or incomplete option '" + args[i] + "'");
      }
      values.put(args[i], args[i + 1]);
    }
    var root = absolute(values.getOrDefault("--dir", ""));
    var checkpoint = absolute(values.getOrDefault("--checkpoint", ""));
    var name = checkpoint.getFileName();
    var format = values.getOrDefault("--format", "");
    var wanted =
        Formats.named(format)
            .flatMap(f -> f.tracker(name == null ? "" : name.toString()))
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "format '" + format + "' has no tracker for " + name));
    Instant until;
    try {
      until = Instant.parse(values.getOrDefault("--until", ""));
    } catch (DateTimeException e) {
      throw new IllegalArgumentException("--until is no time", e);
    }
    var attempt = values.getOrDefault("--attempt", "");
    return new TrackerWriter(root, checkpoint, wanted, attempt).write(clock, until);
  }

  private static Path absolute(String text) {
    // An InvalidPathException is an IllegalArgumentException.
    var path = Path.of(text);
    if (!path.isAbsolute()) {
      throw new IllegalArgumentException("'" + text + "' is not an absolute path");
    }
    return path;
  }

  static String line(TrackerOutcome outcome) {
    var json = new StringBuilder(256);
    json.append("{\"tracker\":");
    JsonText.string(json, outcome.kind().name());
    json.append(",\"file\":");
    JsonText.string(json, outcome.file());
    json.append(",\"before\":");
    JsonText.string(json, outcome.before());
    json.append(",\"now\":");
    JsonText.string(json, outcome.now());
    json.append(",\"kept\":");
    JsonText.string(json, outcome.kept());
    json.append(",\"reason\":");
    JsonText.string(json, outcome.reason());
    return json.append('}').toString();
  }
}
