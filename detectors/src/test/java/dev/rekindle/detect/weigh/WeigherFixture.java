package dev.rekindle.detect.weigh;

import static dev.rekindle.detect.weigh.Logged.T0;
import static dev.rekindle.detect.weigh.Logged.fault;

import dev.rekindle.detect.fault.AffectedPod;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Faults of one device and of others, weighed. */
abstract class WeigherFixture {
  static final Weigher WEIGHER = Weigher.ofNodes(Thresholds.DEFAULT);
  static final Instant LATER = T0.plus(Duration.ofDays(20));

  static Assessment weigh(Logged fault, Logged... others) {
    List<Logged> here = new ArrayList<>(List.of(fault));
    List<Logged> elsewhere = new ArrayList<>();
    for (var other : others) {
      (other.node().equals(fault.node()) ? here : elsewhere).add(other);
    }
    return WEIGHER.weigh(fault, here, elsewhere, LATER);
  }

  static Logged six(String code, AffectedPod victim) {
    var fault = fault(code);
    for (int i = 0; i < 6; i++) {
      fault.hit(60 * i, victim);
    }
    return fault;
  }

  static Logged[] others(List<Logged> faults, Logged fault) {
    return faults.stream().filter(f -> f != fault).toArray(Logged[]::new);
  }
}
