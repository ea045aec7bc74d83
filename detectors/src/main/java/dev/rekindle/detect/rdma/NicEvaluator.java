package dev.rekindle.detect.rdma;

import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What follows from a poll of the ports and what was remembered before. What holds is reported
 * again and again, so that the fault stays one incident; when it is gone, that is reported.
 */
final class NicEvaluator {

  private final String node;
  private final String bootId;
  private final Map<String, Integer> rails;

  NicEvaluator(String node, String bootId, Map<String, Integer> rails) {
    this.node = node;
    this.bootId = bootId;
    this.rails = Map.copyOf(rails);
  }

  /** Decides. */
  NicDecision decide(NicMemory before, NicReadings readings, Instant now) {
    var decided = new NicDecisionBuilder(node, bootId, rails, before, readings, now);
    Set<String> there = new TreeSet<>();
    for (var port : readings.ports()) {
      there.add(port.id());
      decided.port(port);
    }
    for (var known : before.ports().values()) {
      if (readings.excluded().contains(known.device())) {
        decided.forget(known);
      } else if (!there.contains(known.id())) {
        decided.missing(known);
      }
    }
    return decided.decision();
  }
}
