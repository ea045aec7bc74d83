package dev.rekindle.simulator.replay;

import dev.rekindle.detect.Csv;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The unexpected interruptions of the Llama 3 405B pre-training: 419 in 54 days on 16,384 H100,
 * counts per component from Table 5 of arXiv:2407.21783. The counts are used and not the percents,
 * which disagree with them (148 of 419 is 35.3 %, printed is 30.1 %).
 *
 * @param level hardware, software or other; ours
 * @param category group; the table's, where it names one
 * @param description component; the table's
 * @param count interruptions in {@link #DAYS} days on {@link #GPUS} GPUs
 */
record LlamaMix(String level, String category, String description, int count) {
  static final int GPUS = 16_384;
  static final int DAYS = 54;

  private static final String FILE = "llama3-mix.csv";

  /** The rows of the table. */
  static List<LlamaMix> rows() {
    List<LlamaMix> rows = new ArrayList<>();
    Csv csv = new Csv(text());
    csv.next();
    for (Optional<Csv.Row> row = csv.next(); row.isPresent(); row = csv.next()) {
      List<String> fields = row.get().fields();
      rows.add(
          new LlamaMix(
              fields.get(0), fields.get(1), fields.get(2), Integer.parseInt(fields.get(3))));
    }
    return List.copyOf(rows);
  }

  private static String text() {
    try (InputStream in = LlamaMix.class.getResourceAsStream(FILE)) {
      if (in == null) {
        throw new IllegalStateException(FILE + " is missing from the archive");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
