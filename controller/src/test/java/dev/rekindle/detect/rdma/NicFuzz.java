package dev.rekindle.detect.rdma;

import dev.rekindle.detect.state.StateFolder;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Goes on from what the file of an earlier agent says of RDMA ports. */
public final class NicFuzz {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private NicFuzz() {}

  /** Reads the file, and makes two polls of a port that it may know. */
  public static void poll(StateFolder folder) throws IOException {
    var evaluator = new NicEvaluator("node-1", "boot", Map.of());
    var memory = new NicMemoryFile(folder).read();
    for (boolean up : new boolean[] {false, true}) {
      var port =
          new PortReading(
              "mlx5_0/1",
              "mlx5_0",
              "0000:3b:00.0",
              up,
              "4: ACTIVE",
              400,
              new TreeMap<>(Map.of("symbol_error", 7L, "link_downed", 2L)));
      var readings = new NicReadings(List.of(port), Set.of(), Set.of("0000:3b:00.0"));
      memory = evaluator.decide(memory, readings, NOW).memory();
    }
  }
}
