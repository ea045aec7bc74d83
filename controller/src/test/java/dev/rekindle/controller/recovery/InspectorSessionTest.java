package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobKey;
import org.junit.jupiter.api.Test;

class InspectorSessionTest {
  private final RefusingCluster cluster = new RefusingCluster(job());
  private final JobKey key = cluster.job().key();
  private final InspectorSession inspectors = new InspectorSession(cluster);

  /**
   * The stop of an inspector may be refused for good, and the recovery end without it. A scan that
   * was made while the gang of then still wrote says nothing of what the gang of now has left.
   */
  @Test
  void shouldTakeNothingThatAnInspectorOfAnotherRecoveryFound() {
    inspectors.start(key, cluster.job().uid(), "demo-r1");
    assertThat(inspectors.read(key, "demo-r1")).isInstanceOf(Inspection.Report.class);
    assertThat(inspectors.scanFloor(key, "demo-r1")).isEqualTo(1);

    assertThat(inspectors.started(key, "demo-r2")).isFalse();
    assertThat(inspectors.scanFloor(key, "demo-r2")).isNull();
    assertThat(inspectors.read(key, "demo-r2")).isInstanceOf(Inspection.Pending.class);
  }
}
