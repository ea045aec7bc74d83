package dev.rekindle.detect.checkpoint;

import dev.rekindle.detect.checkpoint.format.Verdict;
import java.nio.file.Path;
import java.time.Instant;
import java.util.OptionalLong;

/**
 * One checkpoint.
 *
 * @param path as asked for: below the directory that was given
 * @param format name of its format
 * @param step from its name; empty where nothing names it
 * @param bytes size of all its files
 * @param modified when the newest of them was last written
 * @param verdict what a look at it gave
 */
public record Found(
    Path path, String format, OptionalLong step, long bytes, Instant modified, Verdict verdict) {
  /** As one that may be chosen; it must have a step. */
  Candidate candidate() {
    return new Candidate(
        path.toString(), step.orElseThrow(), modified, verdict.kind(), verdict.reason());
  }
}
