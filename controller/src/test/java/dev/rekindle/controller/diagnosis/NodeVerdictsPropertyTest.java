package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.diagnosis.NodeSnapshots.FREE;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.NOW;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.OURS;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.booted;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.decide;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.xid31;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.xid79;
import static dev.rekindle.controller.diagnosis.NodeVerdictsTest.THEIRS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.diagnosis.NodeSnapshots.Fault;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/** Random nodes, faults and policies. */
class NodeVerdictsPropertyTest {

  /** Over many snapshots made by chance. */
  @Test
  void shouldKeepItsWordWhateverThereIs() {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(1);
    for (int i = 0; i < 20_000; i++) {
      NodeView n = List.of(FREE, OURS, THEIRS).get(random.nextInt(3));
      n = random.nextBoolean() ? n : booted(n, "boot-2", Readiness.READY, NOW.minusSeconds(400));
      List<FaultView> faults = new ArrayList<>();
      for (int f = random.nextInt(4); f > 0; f--) {
        faults.add(any(random));
      }
      NodeVerdict verdict = decide(n, faults, NOW);
      boolean guilt = faults.stream().anyMatch(f -> f.active() && f.fence() != FenceGuidance.NEVER);
      if (verdict instanceof NodeVerdict.Fence) {
        assertThat(guilt).as("%s", faults).isTrue();
        assertThat(n.unschedulable()).isFalse();
      }
      if (verdict instanceof NodeVerdict.Release || verdict instanceof NodeVerdict.KeepFenced) {
        assertThat(n.fencedByUs()).isTrue();
      }
      if (n.fencedByUs() && !guilt && faults.stream().noneMatch(f -> f.bootId().isEmpty())) {
        assertThat(verdict).isNotInstanceOf(NodeVerdict.Fence.class);
      }
      // Waiting alone changes a verdict only where a burst ends or a reboot settles.
      if (verdict instanceof NodeVerdict.NoAction(_, Instant until) && until == null) {
        assertThat(decide(n, faults, NOW.plus(Duration.ofDays(300)))).isEqualTo(verdict);
      }
    }
  }

  private static FaultView any(RandomGenerator random) {
    Fault fault = random.nextBoolean() ? xid79() : xid31();
    fault = random.nextInt(3) == 0 ? fault.guidance(FenceGuidance.NEVER) : fault;
    for (int i = random.nextInt(4); i > 0; i--) {
      fault =
          fault.incident(NOW.minusSeconds(random.nextInt(200_000)), "job-" + random.nextInt(3), "");
    }
    return random.nextInt(3) == 0
        ? fault.clearedBy(random.nextBoolean() ? "driver" : "reboot").build()
        : fault.build();
  }
}
