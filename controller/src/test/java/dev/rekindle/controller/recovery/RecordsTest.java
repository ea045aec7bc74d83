package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.nodes;
import static dev.rekindle.controller.Given.ranks;
import static dev.rekindle.controller.Given.restarted;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.ComeBacks;
import dev.rekindle.api.JobRef;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.IgnoredChanges;
import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.diagnosis.JobSnapshot;
import dev.rekindle.controller.diagnosis.JobVerdicts;
import dev.rekindle.controller.diagnosis.Verdict;
import dev.rekindle.controller.model.HistoryLimits;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterGateway.RefusedException;
import dev.rekindle.controller.telemetry.Metrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class RecordsTest {
  private static final Duration BETWEEN_CRASHES = Duration.ofMinutes(5);
  private static final int A_DAY = 288;

  private final Map<String, RecoveryView> stored = new LinkedHashMap<>();
  private final JobView job = job().view();
  private boolean refusing;
  private int deletions;
  private final Records records =
      new Records(
          new FlatState(new IgnoredChanges()),
          gateway(),
          new Metrics(new PrometheusRegistry()),
          HistoryLimits.DEFAULT);

  @Test
  void shouldKeepOneObjectForAGangThatComesBackAllDay() {
    List<PodView> pods = gang("");
    Instant last = T0;
    for (int i = 1; i < A_DAY; i++) {
      Instant ended = T0.plus(BETWEEN_CRASHES.multipliedBy(i));
      pods = pods.stream().map(p -> restarted(p, ended)).toList();
      last = ended.plusSeconds(20);
      comeBack(pods, last);
    }

    assertThat(stored).hasSize(1);
    ComeBacks so = Objects.requireNonNull(newest().status()).comeBacks();
    assertThat(so)
        .isEqualTo(
            new ComeBacks(
                A_DAY - 1, T0.plus(BETWEEN_CRASHES).plusSeconds(11), last.minusSeconds(9)));
    assertThat(Objects.requireNonNull(newest().status()).timeline().getLast().detail())
        .contains("287 times since 2026-11-21T06:05:11Z");
  }

  @Test
  void shouldKeepFewObjectsWhateverHappensToAJobInBetween() {
    List<PodView> pods = gang("");
    int most = 0;
    for (int i = 1; i < 30 * A_DAY; i += 3) {
      Instant ended = T0.plus(BETWEEN_CRASHES.multipliedBy(i));
      pods = pods.stream().map(p -> restarted(p, ended)).toList();
      comeBack(pods, ended.plusSeconds(20));
      cancelled(ended.plusSeconds(60));
      records.collect(job, all(), Policy.DEFAULT, ended.plusSeconds(90));
      most = Math.max(most, stored.size());
    }

    assertThat(most).isLessThanOrEqualTo(EndedRecoveries.KEPT + 2);
    assertThat(deletions).isGreaterThan(5_000);
  }

  @Test
  void shouldContinueWhereNothingMayBeDeleted() {
    for (int i = 0; i < 30; i++) {
      cancelled(T0.plusSeconds(i));
    }
    refusing = true;

    records.collect(job, all(), Policy.DEFAULT, T0.plus(Duration.ofDays(9)));

    assertThat(stored).hasSize(30);
  }

  private void comeBack(List<PodView> pods, Instant now) {
    JobSnapshot s =
        new JobSnapshot(
            job, pods, nodes(), List.of(), ranks(pods, 43L, now.minusSeconds(9), now), all());
    assertThat(JobVerdicts.decide(s, Policy.DEFAULT, now))
        .isInstanceOfSatisfying(
            Verdict.SelfRecovered.class, back -> records.write(job, pods, all(), back, now));
    JobSnapshot after = new JobSnapshot(s.job(), s.pods(), s.nodes(), s.faults(), s.ranks(), all());
    assertThat(JobVerdicts.decide(after, Policy.DEFAULT, now.plusSeconds(1)))
        .isInstanceOf(Verdict.Watch.class);
  }

  private void cancelled(Instant at) {
    Cause cause = new Cause("NodeSilent", "", List.of(), List.of(), List.of(), List.of(), null);
    String name = RecoveryNames.next(job, List.of(), all());
    put(
        new RecoveryView(
            job.key().namespace(),
            name,
            name,
            "1",
            new RecoverySpec(JobRef.pyTorchJob(job.key().name(), job.uid()), at, null),
            RecoveryStatusBuilder.enter(
                RecoveryStatusBuilder.begin(cause, List.of(), at),
                RecoveryPhase.CANCELLED,
                "over",
                at)));
  }

  private List<RecoveryView> all() {
    return List.copyOf(stored.values());
  }

  private RecoveryView newest() {
    return all().getLast();
  }

  private RecoveryView put(RecoveryView recovery) {
    stored.put(recovery.name(), recovery);
    return recovery;
  }

  private ClusterGateway gateway() {
    return (ClusterGateway)
        Proxy.newProxyInstance(
            ClusterGateway.class.getClassLoader(),
            new Class<?>[] {ClusterGateway.class},
            (_, method, arguments) ->
                switch (method.getName()) {
                  case "open", "save" -> put((RecoveryView) arguments[0]);
                  case "remove" -> removed((RecoveryView) arguments[0]);
                  case "recordEvent" -> null;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private Object removed(RecoveryView recovery) {
    if (refusing) {
      throw new RefusedException(403, "recoveries is forbidden");
    }
    deletions++;
    return Objects.requireNonNull(stored.remove(recovery.name()));
  }
}
