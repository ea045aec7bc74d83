package dev.rekindle.detect.checkpoint;

import java.nio.file.Path;
import java.time.Instant;

/**
 * One checkpoint file.
 *
 * @param path as asked for: below the directory that was given
 * @param step from its name
 * @param bytes its size
 * @param modified when it was last written
 * @param verdict what a look at it gave
 */
record Found(Path path, long step, long bytes, Instant modified, Verdict verdict) {}
