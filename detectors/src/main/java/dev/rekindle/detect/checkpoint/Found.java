package dev.rekindle.detect.checkpoint;

import dev.rekindle.detect.checkpoint.format.Verdict;
import java.time.Instant;
import java.util.OptionalLong;

/**
 * One checkpoint.
 *
 * @param path as requested: below the place that was given
 * @param format name of its format
 * @param step from its name; empty where nothing names it
 * @param bytes size of all its files
 * @param modified when the newest of them was last written
 * @param verdict how it was judged
 */
public record Found(
    String path, String format, OptionalLong step, long bytes, Instant modified, Verdict verdict) {
  /** The last part of its path. */
  String name() {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /** As one that may be chosen; it must have a step. */
  Candidate candidate() {
    return new Candidate(path, step.orElseThrow(), modified, verdict.kind(), verdict.reason());
  }

  /** The same for a gang of so many GPUs, 0 for any: what it cannot load is Unknown. */
  Found forGpus(long gpus) {
    if (!verdict.isValid()) {
      return this;
    }
    return WorldFit.fault(verdict.ranks(), gpus)
        .map(why -> Verdict.unknown(verdict.level(), why))
        .map(unfit -> new Found(path, format, step, bytes, modified, unfit))
        .orElse(this);
  }
}
