package dev.rekindle.detect.nvml;

import dev.rekindle.detect.state.StateFolder;
import java.io.IOException;
import java.time.Instant;
import java.util.List;

/** Goes on from what the file of an earlier agent says of GPUs. */
public final class NvmlFuzz {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private NvmlFuzz() {}

  /** Reads the file, and makes a poll that no GPU answers. */
  public static void poll(StateFolder folder) throws IOException {
    var memory = new NvmlMemoryFile(folder).read();
    var evaluator = new NvmlEvaluator("node-1", "boot");
    var _ = evaluator.decide(memory, new NvmlReadings(List.of(), List.of()), NOW);
  }
}
