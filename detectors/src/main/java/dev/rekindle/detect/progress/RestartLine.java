package dev.rekindle.detect.progress;

import com.google.re2j.Pattern;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A line by which a training script requests a restart of its whole gang: {@code REKINDLE restart:
 * <reason>}, or {@code REKINDLE restart before_step=<n>: <reason>} to continue from a checkpoint of
 * an earlier step than {@code n}. What stands before it, as loggers and torchrun put it there, does
 * not matter.
 *
 * @param reason why, in the script's words, at most {@link #MAX_REASON} characters
 * @param beforeStep resume from before this step; absent for the newest checkpoint
 * @param time when it was printed, by the container runtime's stamp
 */
public record RestartLine(String reason, @Nullable Long beforeStep, Instant time) {
  /** Longest reason kept, in characters. */
  static final int MAX_REASON = 200;

  private static final String MARK = "REKINDLE restart";

  private static final Pattern LINE =
      Pattern.compile("(?:^|[^A-Za-z0-9_])" + MARK + "(?: before_step=([0-9]{1,18}))?:(.*)");

  /** What the line requests, if it asks. */
  static Optional<RestartLine> find(Instant time, String line) {
    if (!line.contains(MARK)) {
      return Optional.empty();
    }
    var matcher = LINE.matcher(line);
    if (!matcher.find()) {
      return Optional.empty();
    }
    var step = matcher.group(1);
    return Optional.of(
        new RestartLine(
            reason(matcher.group(2)), step == null ? null : Long.parseLong(step), time));
  }

  private static String reason(String text) {
    var words = text.replaceAll("\\p{Cc}", " ").strip();
    if (words.isEmpty()) {
      return "no reason given";
    }
    return words.length() <= MAX_REASON ? words : words.substring(0, MAX_REASON);
  }
}
