package dev.rekindle.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A reader of something that others write.
 *
 * @param name of the target, a word
 * @param reader takes any bytes; whatever it throws is a defect
 * @param seeds inputs that it can read, from which others are made
 */
record Target(String name, Reader reader, List<byte[]> seeds) {
  /** Reads one input. */
  @FunctionalInterface
  interface Reader {
    void read(byte[] input) throws Exception;
  }

  /** A reader of bytes, with seeds as text. */
  static Target of(String name, Reader reader, String... seeds) {
    return new Target(
        name,
        reader,
        List.of(seeds).stream().map(seed -> seed.getBytes(StandardCharsets.UTF_8)).toList());
  }
}
