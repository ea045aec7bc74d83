package dev.rekindle.detect.checkpoint.files;

import java.time.Duration;

/**
 * What a scan may cost.
 *
 * @param rootEntries entries of the directory that is scanned
 * @param folderEntries entries of any one folder below it
 * @param bytes bytes that are read to judge one generation
 * @param time of a whole scan; generations that are left are not judged
 */
public record Limits(int rootEntries, int folderEntries, long bytes, Duration time) {
  /** For a scan that reads structure only. */
  public static final Limits USUAL = new Limits(10_000, 200_000, 1L << 30, Duration.ofSeconds(60));

  /** For one that reads every byte, on demand. */
  public static final Limits DEEP =
      new Limits(10_000, 200_000, Long.MAX_VALUE, Duration.ofHours(24));
}
