package dev.rekindle.testbed.scale;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Durations, as one says how they are spread.
 *
 * @param millis in ascending order
 */
record Spread(List<Double> millis) {
  Spread {
    millis = millis.stream().sorted().toList();
  }

  static Spread ofNanos(Collection<Long> nanos) {
    return new Spread(nanos.stream().map(n -> n / 1e6).toList());
  }

  /** The smallest of them that no fewer than this share does not exceed. */
  double percentile(double share) {
    int rank = (int) Math.ceil(share * millis.size());
    return millis.get(Math.max(0, rank - 1));
  }

  /** Name to milliseconds. */
  Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("count", millis.size());
    json.put("p50", round(percentile(0.5)));
    json.put("p99", round(percentile(0.99)));
    json.put("most", round(millis.getLast()));
    return json;
  }

  static double round(double value) {
    return Math.round(value * 10) / 10.0;
  }
}
