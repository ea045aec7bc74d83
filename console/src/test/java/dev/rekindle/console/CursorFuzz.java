package dev.rekindle.console;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/** Fuzzes the reader of cursors with Jazzer: {@code CursorFuzz SECONDS DIRECTORY}. */
public final class CursorFuzz {
  static final List<String> SEEDS =
      List.of(
          new Cursor(true, false, Instant.EPOCH, "team", "demo-r1").text(),
          new Cursor(false, true, Instant.MAX, "", "é").text());

  private CursorFuzz() {}

  /** What Jazzer calls; it finds this by its name. Refusing is an answer. */
  public static void fuzzerTestOneInput(byte[] input) {
    try {
      Cursor cursor = Cursor.parse(new String(input, StandardCharsets.UTF_8));
      if (!Cursor.parse(cursor.text()).equals(cursor)) {
        throw new AssertionError("it is not read as it was written: " + cursor);
      }
    } catch (Refused refused) {
      if (refused.why() != Refused.Why.BAD_CURSOR) {
        throw refused;
      }
    }
  }

  /** Writes the seeds and hands over to Jazzer, which is on the class path for this alone. */
  public static void main(String[] args) throws Exception {
    Path corpus = Files.createDirectories(Path.of(args[1]));
    for (int i = 0; i < SEEDS.size(); i++) {
      Files.writeString(corpus.resolve("seed-" + i), SEEDS.get(i));
    }
    String[] options = {
      "--target_class=" + CursorFuzz.class.getName(),
      "--instrumentation_includes=dev.rekindle.**",
      "-max_total_time=" + args[0],
      "-timeout=10",
      "-max_len=16384",
      "-print_final_stats=1",
      "-artifact_prefix=" + corpus + "-",
      corpus.toString()
    };
    Class.forName("com.code_intelligence.jazzer.Jazzer")
        .getMethod("main", String[].class)
        .invoke(null, (Object) options);
  }
}
