package dev.rekindle.fuzz;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Makes broken inputs of good ones; the same for the same seed. */
final class Mutator {
  private static final int LONGEST = 16 * 1024;

  /** What readers of numbers, names, times and structures have stumbled over. */
  private static final List<byte[]> WORDS =
      List.of(
              "99999999999999999999",
              "9223372036854775807",
              "-1",
              "0",
              "1e999",
              "\0",
              "\n",
              "\\",
              "\"",
              "{1000}",
              "(?:",
              "){9}",
              "[[[[",
              "{{{{",
              "null",
              "true",
              "[]",
              "{}",
              "é",
              "\u0001",
              ",",
              ":",
              "9999999999h",
              "0000:3b:00",
              "+1000000000-12-31T23:59:59Z",
              "step",
              "..",
              "/",
              "PK\u0005\u0006")
          .stream()
          .map(word -> word.getBytes(StandardCharsets.UTF_8))
          .toList();

  private final Random random;
  private final List<byte[]> seeds;

  Mutator(long seed, List<byte[]> seeds) {
    this.random = new Random(seed);
    this.seeds = seeds;
  }

  byte[] next() {
    var input = seeds.get(random.nextInt(seeds.size()));
    for (int edits = 1 + random.nextInt(6); edits > 0; edits--) {
      input = edit(input);
    }
    return input.length <= LONGEST ? input : Arrays.copyOf(input, LONGEST);
  }

  private byte[] edit(byte[] input) {
    var from = random.nextInt(input.length + 1);
    var to = Math.min(input.length, from + random.nextInt(1 + Math.min(64, input.length)));
    return switch (random.nextInt(6)) {
      case 0 ->
          joined(
              input,
              from,
              new byte[] {(byte) random.nextInt(256)},
              Math.min(from + 1, input.length));
      case 1 -> joined(input, from, WORDS.get(random.nextInt(WORDS.size())), from);
      case 2 -> joined(input, from, WORDS.get(random.nextInt(WORDS.size())), to);
      case 3 -> joined(input, from, new byte[0], to);
      case 4 -> repeated(input, from, to);
      default -> {
        var other = seeds.get(random.nextInt(seeds.size()));
        yield joined(
            input,
            from,
            Arrays.copyOfRange(other, random.nextInt(other.length + 1), other.length),
            to);
      }
    };
  }

  private byte[] repeated(byte[] input, int from, int to) {
    var piece = new ByteArrayOutputStream();
    for (int times = 1 << random.nextInt(8); times > 0 && piece.size() < LONGEST; times--) {
      piece.write(input, from, to - from);
    }
    return joined(input, from, piece.toByteArray(), to);
  }

  private static byte[] joined(byte[] input, int until, byte[] middle, int from) {
    var out = new ByteArrayOutputStream();
    out.write(input, 0, until);
    out.writeBytes(middle);
    out.write(input, from, input.length - from);
    return out.toByteArray();
  }
}
