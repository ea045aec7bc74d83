package dev.rekindle.detect.flightrecorder;

import dev.rekindle.detect.stall.StallAnalysis;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** Feeds bytes to the reader of dumps, and what it reads to the analysis. */
public final class DumpFuzz {
  private static final Path EXAMPLES = Path.of("../examples/flight-recorder");

  private DumpFuzz() {}

  /** A dump of rank 2, beside a complete one of rank 0. */
  public static void dump(byte[] input) throws DumpException {
    var reader = new DumpReader();
    var whole = reader.read(0, seeds().getFirst());
    try {
      var report = StallAnalysis.of(List.of(whole, reader.read(2, input)), Set.of(), 0);
      if (report.toString().length() > 100_000) {
        throw new AssertionError("a report of " + report.toString().length());
      }
    } catch (DumpException refused) {
      if (String.valueOf(refused.getMessage()).length() > 300) {
        throw new AssertionError("a reason of " + String.valueOf(refused.getMessage()).length());
      }
    }
  }

  /** Dumps in both forms. */
  public static List<byte[]> seeds() {
    return Seeds.ALL;
  }

  private static final class Seeds {
    private static final List<byte[]> ALL =
        List.of(read("slow-loader/comm_lib_trace_rank_2"), read("mismatch/rank_1.json"));

    private static byte[] read(String file) {
      try {
        return Files.readAllBytes(EXAMPLES.resolve(file));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
