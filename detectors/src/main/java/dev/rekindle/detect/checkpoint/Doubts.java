package dev.rekindle.detect.checkpoint;

import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.files.Names;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;

/** Why a list of checkpoints is not to be relied on. */
final class Doubts {
  /** A copy of the best or the last may be written so long after the file that names the step. */
  static final Duration TOGETHER = Duration.ofMinutes(1);

  private static final int LISTED = 3;

  private Doubts() {}

  /** One clause; empty where there is none. */
  static String of(Folder root, List<String> ofFormats, List<Found> found, List<Found> stepless)
      throws IOException {
    if (root.isCut()) {
      return "more than " + root.entries().size() + " entries; the rest was not read";
    }
    if (!ofFormats.isEmpty()) {
      return ofFormats.getFirst();
    }
    if (stepless.isEmpty()) {
      return "";
    }
    if (found.isEmpty()) {
      return "no checkpoint names its step: "
          + stepless.stream().limit(LISTED).map(Doubts::text).collect(Collectors.joining(", "))
          + (stepless.size() > LISTED ? " and " + (stepless.size() - LISTED) + " more" : "");
    }
    var newest = found.stream().map(Found::modified).max(Instant::compareTo).orElse(Instant.EPOCH);
    return stepless.stream()
        .filter(one -> isLater(one.modified(), newest))
        .filter(one -> one.verdict().kind() != Verdict.Kind.TORN)
        .findFirst()
        .map(one -> text(one) + " is newer than every checkpoint that names its step")
        .orElse("");
  }

  /** Whether one of that time may hold more training than any that names its step. */
  static boolean isLater(Instant modified, Instant newest) {
    return newest.isBefore(Instant.MAX) && modified.isAfter(newest.plus(TOGETHER));
  }

  private static String text(Found stepless) {
    return Names.printable(stepless.name()) + " (" + stepless.verdict().reason() + ")";
  }
}
