package dev.rekindle.testbed;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/**
 * One line of a container's log.
 *
 * @param node where it ran
 * @param pod name of the pod
 * @param uid its UID
 * @param run which run of the container, 0 for the first
 * @param time the container runtime's stamp
 * @param text what the container wrote
 */
record LogLine(String node, String pod, String uid, int run, Instant time, String text) {
  /** Where a log is says most of it; a line adds time and text. */
  record Source(String node, String pod, String uid, int run) {}

  /** Reads a line as container runtimes write it: {@code <time> <stream> <tag> <text>}. */
  static Optional<LogLine> parse(Source source, String line) {
    String[] parts = line.split(" ", 4);
    if (parts.length < 3) {
      return Optional.empty();
    }
    try {
      String text = parts.length == 4 ? parts[3] : "";
      return Optional.of(
          new LogLine(
              source.node(),
              source.pod(),
              source.uid(),
              source.run(),
              Instant.parse(parts[0]),
              text));
    } catch (DateTimeParseException notALogLine) {
      return Optional.empty();
    }
  }
}
