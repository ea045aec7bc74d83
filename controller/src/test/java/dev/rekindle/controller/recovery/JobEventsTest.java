package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.telemetry.Metrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class JobEventsTest {
  private static final JobKey JOB = Given.job().view().key();

  private final RefusingCluster cluster = new RefusingCluster(Given.job());
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final JobEvents events = new JobEvents(cluster, new Metrics(registry), () -> cluster.now);

  @Test
  void shouldSayWhatStandsAtOnceAgainSoonAndThenEachHour() {
    assertThat(minutesAtWhichItIsSaid(200)).containsExactly(0L, 6L, 67L, 128L, 189L);
  }

  @Test
  void shouldSayOtherThingsAtOnce() {
    events.refused(JOB, "uid", Reason.API_REFUSED, "a");
    events.refused(JOB, "uid", Reason.BUDGET_EXHAUSTED, "b");
    events.refused(JOB, "other", Reason.BUDGET_EXHAUSTED, "c");
    events.acted(JOB);
    events.refused(JOB, "other", Reason.BUDGET_EXHAUSTED, "d");

    assertThat(cluster.said).extracting(a -> a.note()).containsExactly("a", "b", "c", "d");
  }

  /** Who may edit a job can change an annotation ten times a second. */
  @Test
  void shouldWriteAnEventASecondForANamespaceThatChangesItsJobsMoreOften() {
    Instant begun = cluster.now;
    for (int i = 0; i < 36_000; i++) {
      cluster.now = begun.plusMillis(100L * i);
      events.refused(
          JOB,
          "uid",
          i % 2 == 0 ? Reason.INVALID_ANNOTATION : Reason.UNKNOWN_POLICY,
          "annotation " + i);
    }
    assertThat(cluster.said).hasSizeBetween(3_600, 3_900);
    int before = cluster.said.size();
    events.refused(new JobKey("other", "job"), "uid", Reason.BUDGET_EXHAUSTED, "spent");
    assertThat(cluster.said).hasSize(before + 1);

    cluster.now = cluster.now.plus(Duration.ofMinutes(5));
    for (int i = 0; i < 300; i++) {
      events.refused(new JobKey(JOB.namespace(), "job-" + i), "uid", Reason.API_REFUSED, "no");
    }
    assertThat(cluster.said).hasSize(before + 1 + EventShare.AT_ONCE);
  }

  @Test
  void shouldNotWaitForAClockThatWasSetBack() {
    cluster.now = T0.plus(Duration.ofDays(1));
    events.refused(JOB, "uid", Reason.API_REFUSED, "refused");
    cluster.now = T0;
    events.refused(JOB, "uid", Reason.API_REFUSED, "refused");

    assertThat(cluster.said).hasSize(2);
  }

  @Test
  void shouldSayAgainThatStepsAreNotSeenAsEventsAreKeptForAnHour() {
    for (int minute = 0; minute < 120; minute++) {
      cluster.now = T0.plus(Duration.ofMinutes(minute));
      events.stepsNotSeen(JOB, "uid", "no steps");
    }
    assertThat(cluster.said).hasSize(3);
    events.stepsNotSeen(JOB, "another of that name", "no steps");
    assertThat(cluster.said)
        .hasSize(4)
        .extracting(a -> a.reason())
        .containsOnly(Reason.STEPS_NOT_SEEN);
  }

  @Test
  void shouldCountARefusalAndNotTheAnnotationsOfAnotherJob() {
    events.refused(JOB, "uid", Reason.API_REFUSED, "refused");
    events.copiedAnnotations(
        Given.job().view().withCopiedAnnotations(List.of("rekindle.dev/attempt")));

    assertThat(cluster.said)
        .extracting(a -> a.reason())
        .containsExactly(Reason.API_REFUSED, Reason.COPIED_ANNOTATIONS);
    assertThat(reasonsCounted()).containsExactly("ApiRefused");
  }

  private List<String> reasonsCounted() {
    return registry.scrape().stream()
        .filter(m -> m.getMetadata().getName().equals("rekindle_recoveries_refused"))
        .flatMap(m -> ((CounterSnapshot) m).getDataPoints().stream())
        .filter(point -> point.getValue() > 0)
        .map(point -> point.getLabels().get("reason"))
        .toList();
  }

  private List<Long> minutesAtWhichItIsSaid(int minutes) {
    List<Long> at = new ArrayList<>();
    Instant begun = cluster.now;
    for (long minute = 0; minute < minutes; minute++) {
      int before = cluster.said.size();
      cluster.now = begun.plus(Duration.ofMinutes(minute));
      events.refused(JOB, "uid", Reason.API_REFUSED, "refused");
      if (cluster.said.size() > before) {
        at.add(minute);
      }
    }
    return at;
  }
}
