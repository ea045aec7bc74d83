package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.telemetry.Metrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import org.junit.jupiter.api.Test;

class ReportAuditTest {
  private static final JobKey JOB = new JobKey("team", "demo");

  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final ReportAudit audit = new ReportAudit(new Metrics(registry));

  private double counted() {
    return registry.scrape().stream()
        .filter(m -> m.getMetadata().getName().equals("rekindle_foreign_reports"))
        .map(CounterSnapshot.class::cast)
        .mapToDouble(m -> m.getDataPoints().getFirst().getValue())
        .sum();
  }

  @Test
  void shouldCountEachPodOfAnotherNodeOnceHoweverOftenTheReportIsRead() {
    InPlaceScene scene =
        new InPlaceScene()
            .reported(0, RestartInstruction.FREEZE, State.FROZEN)
            .forged("node-2", 0, RestartInstruction.FREEZE, State.FROZEN);

    audit.look(JOB, gang(""), scene.snapshot().reports());
    audit.look(JOB, gang(""), scene.snapshot().reports());
    assertThat(counted()).isEqualTo(1);
    scene.forged("node-2", 1, RestartInstruction.FREEZE, State.KILLED);
    audit.look(JOB, gang(""), scene.snapshot().reports());
    assertThat(counted()).isEqualTo(2);
  }

  @Test
  void shouldCountNothingWhereEveryAgentReportsOnItself() {
    InPlaceScene scene = new InPlaceScene().frozenAndReplaced();

    audit.look(JOB, gang(""), scene.snapshot().reports());
    assertThat(counted()).isZero();
  }
}
