package dev.rekindle.detect.rdma;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Real folders are scanned; the time is passed in. */
abstract class NicEvaluatorFixture {
  static final String PORT = "mlx5_0/1";

  @TempDir Path directory;
  SysTree sys;
  NicEvaluator polls = new NicEvaluator("node-1", "boot-1", Map.of());
  NicMemory memory = NicMemory.EMPTY;
  Instant now = Instant.parse("2026-01-01T00:00:00Z");
  final List<String> reported = new ArrayList<>();
  final List<String> cleared = new ArrayList<>();

  @BeforeEach
  void make() throws IOException {
    sys =
        new SysTree(directory.resolve("sys"))
            .add("mlx5_0", "0000:3b:00.0", "mlx5_core", "ib0")
            .add("mlx5_1", "0000:19:00.0", "mlx5_core", "ib1");
  }

  NicDecision poll(Duration later, String... exclude) {
    now = now.plus(later);
    var readings = new NicScanner(sys.settings(Set.of(exclude), Map.of())).scan();
    var decision = polls.decide(memory, readings, now);
    memory = decision.memory();
    decision
        .observations()
        .forEach(
            one ->
                reported.add(
                    one.fault().componentId()
                        + " "
                        + one.fault().code()
                        + " "
                        + one.fault().fence()));
    decision
        .clearances()
        .forEach(one -> cleared.add(one.componentId() + " " + one.codes() + " " + one.by()));
    return decision;
  }

  NicDecision poll() {
    return poll(Duration.ofSeconds(15));
  }

  void lookFor(Duration time) {
    var end = now.plus(time);
    while (now.isBefore(end)) {
      poll();
    }
  }
}
