package dev.rekindle.simulator.replay;

import dev.rekindle.cli.UsageException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Small clusters and traces. */
final class Given {
  static final Duration HOUR = Duration.ofHours(1);

  private Given() {}

  static Outage outage(String node, Duration start, Duration end, String category, String what) {
    return new Outage(node, start, end, "Hardware Failure", category, what);
  }

  /** A small job with a checkpoint every half an hour, and everything else as by default. */
  static Plan plan(int jobNodes, int spares, List<Outage> outages, Duration wall)
      throws UsageException {
    Trace trace = Trace.of(outages, 0, List.of());
    return Plan.of("given", new Options(), jobNodes, spares, trace, wall);
  }

  /**
   * A fault of the GPUs every so often at random on a node that is not out, repaired in that time.
   */
  static List<Outage> random(int nodes, Duration between, Duration repair, Duration wall) {
    SplittableRandom random = new SplittableRandom(9);
    List<Outage> outages = new ArrayList<>();
    Duration at = next(random, between);
    while (at.compareTo(wall) < 0) {
      Duration now = at;
      @Nullable String node = null;
      while (node == null) {
        String one = "n" + random.nextInt(nodes);
        boolean out =
            outages.stream().anyMatch(o -> o.node().equals(one) && o.end().compareTo(now) > 0);
        node = out ? null : one;
      }
      outages.add(outage(node, at, at.plus(repair), "GPU", "GPU Lost"));
      at = at.plus(next(random, between));
    }
    return outages;
  }

  private static Duration next(SplittableRandom random, Duration mean) {
    return Duration.ofMillis(Math.round(-Math.log(1 - random.nextDouble()) * mean.toMillis()));
  }
}
