package dev.rekindle.detect.checkpoint;

import dev.rekindle.detect.checkpoint.format.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A checkpoint that may be chosen.
 *
 * @param path where it is, as its reader sees it
 * @param step its step
 * @param modified when the newest of its files was last written; absent where that is not known
 * @param verdict how it was judged
 * @param reason why it is not valid, or what else is to be known of one that is
 */
public record Candidate(
    String path, long step, @Nullable Instant modified, Verdict.Kind verdict, String reason) {
  /** Whether it may be resumed from. */
  public boolean valid() {
    return verdict == Verdict.Kind.VALID;
  }

  /** Whether it is known to have been written after that. */
  boolean writtenAfter(Instant time) {
    var known = modified;
    return known != null && known.isAfter(time);
  }

  /** How long after that it was written; nothing where it was before, or is not known. */
  Duration writtenAfterBy(Instant time) {
    var known = modified;
    return known == null || known.isBefore(time) ? Duration.ZERO : Duration.between(time, known);
  }

  /** In a list of those that were passed over; one that is valid was given up. */
  String text() {
    return "step %d %s (%s)"
        .formatted(step, verdict.word().toLowerCase(Locale.ROOT), valid() ? "given up" : reason);
  }
}
