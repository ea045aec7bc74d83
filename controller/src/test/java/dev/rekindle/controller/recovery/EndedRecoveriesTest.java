package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.nodes;
import static dev.rekindle.controller.Given.ranks;
import static dev.rekindle.controller.Given.restarted;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.ComeBacks;
import dev.rekindle.api.JobRef;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RestartWay;
import dev.rekindle.api.RollBack;
import dev.rekindle.api.TimelineEntry;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.diagnosis.JobSnapshot;
import dev.rekindle.controller.diagnosis.JobVerdicts;
import dev.rekindle.controller.diagnosis.Restarts;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RecoveryView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EndedRecoveriesTest {
  private static final int MANY = 2_000;
  private static final List<RecoveryPhase> ENDS =
      List.of(RecoveryPhase.RECOVERED, RecoveryPhase.FAILED, RecoveryPhase.CANCELLED);

  @Test
  void shouldDecideAsIfNothingHadBeenDeleted() {
    RandomGenerator random = RandomGeneratorFactory.getDefault().create(11);
    int deleted = 0;
    for (int i = 0; i < MANY; i++) {
      List<RecoveryView> all = any(random);
      Instant now = end(all).plusSeconds(random.nextInt(7_200));
      Policy policy = Policy.DEFAULT.withBudgetWindow(Duration.ofHours(1 + random.nextInt(72)));
      Given.Job given = job();
      if (random.nextInt(4) == 0) {
        given.suspended(all.get(random.nextInt(all.size())).name(), true);
      }
      JobView job = given.view();

      List<RecoveryView> kept = new ArrayList<>(all);
      kept.removeAll(EndedRecoveries.superfluous(job, all, policy, now));
      deleted += all.size() - kept.size();

      Instant since = now.minus(policy.budgetWindow());
      assertThat(Restarts.since(kept, since)).isEqualTo(Restarts.since(all, since));
      assertThat(RecoveryNames.next(job, List.of(), kept))
          .isEqualTo(RecoveryNames.next(job, List.of(), all));
      assertThat(kept).hasSizeGreaterThanOrEqualTo(Math.min(all.size(), EndedRecoveries.KEPT));
      for (int asked = 0; asked < 20; asked++) {
        long step = random.nextInt(120);
        Instant written = T0.plusSeconds(random.nextInt(400_000));
        assertThat(givenUp(kept, step, written)).isEqualTo(givenUp(all, step, written));
      }
      JobSnapshot s = snapshot(job, all, now, random);
      JobSnapshot t = new JobSnapshot(s.job(), s.pods(), s.nodes(), s.faults(), s.ranks(), kept);
      assertThat(JobVerdicts.decide(t, policy, now)).isEqualTo(JobVerdicts.decide(s, policy, now));
    }
    assertThat(deleted).isGreaterThan(MANY);
  }

  @Test
  void shouldReportAnotherCauseAgain() {
    JobView job = job().view();
    RecoveryView ended = recovery(3, RecoveryPhase.RECOVERED, T0, null, 0);
    RecoveryView again =
        ended.with(
            Objects.requireNonNull(ended.status())
                .withComeBacks(new ComeBacks(7, T0, T0.plusSeconds(3_000))));
    Instant later = T0.plusSeconds(3_600);

    assertThat(EndedRecoveries.toCountAgain(job, List.of(again), later)).contains(again);
    assertThat(EndedRecoveries.toCountAgain(job, List.of(ended), later)).isEmpty();
    assertThat(EndedRecoveries.toCountAgain(job, List.of(), later)).isEmpty();
    assertThat(
            EndedRecoveries.toCountAgain(
                job, List.of(again, recovery(4, RecoveryPhase.CANCELLED, later, null, 0)), later))
        .isEmpty();
    assertThat(EndedRecoveries.toCountAgain(job, List.of(again), T0.plus(EndedRecoveries.TOGETHER)))
        .isEmpty();
  }

  private static JobSnapshot snapshot(
      JobView job, List<RecoveryView> all, Instant now, RandomGenerator random) {
    Instant exit = now.minusSeconds(random.nextInt(600));
    List<PodView> pods =
        random.nextBoolean() ? gang("") : gang("").stream().map(p -> restarted(p, exit)).toList();
    return new JobSnapshot(
        job,
        pods,
        nodes(),
        List.of(),
        random.nextInt(3) == 0
            ? List.of()
            : ranks(pods, 43L, now.minusSeconds(random.nextInt(900)), now),
        all);
  }

  private static boolean givenUp(List<RecoveryView> recoveries, long step, Instant written) {
    return recoveries.stream()
        .flatMap(r -> CheckpointPin.rollBack(Objects.requireNonNull(r.status())).stream())
        .anyMatch(back -> step > back.to() && !written.isAfter(back.until()));
  }

  private static Instant end(List<RecoveryView> all) {
    return Objects.requireNonNull(Objects.requireNonNull(all.getLast().status()).phaseSince());
  }

  private static List<RecoveryView> any(RandomGenerator random) {
    List<RecoveryView> all = new ArrayList<>();
    Instant at = T0;
    int count = 1 + random.nextInt(60);
    for (int i = 1; i <= count; i++) {
      at = at.plusSeconds(60 + random.nextInt(20_000));
      RollBack back =
          random.nextInt(5) == 0
              ? new RollBack(random.nextInt(100), 100, at.minusSeconds(30))
              : null;
      RecoveryPhase phase = ENDS.get(random.nextInt(ENDS.size()));
      all.add(recovery(i, phase, at, back, random.nextInt(3)));
    }
    return all;
  }

  private static RecoveryView recovery(
      int number, RecoveryPhase end, Instant at, @Nullable RollBack back, int attempts) {
    Cause cause =
        new Cause(
            "NodeSilent",
            "",
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            number % 7 == 0 ? 12L : null);
    PinnedCheckpoint pin =
        new PinnedCheckpoint(CheckpointVerdict.VALID, "/ckpt/1", 1L, "L3", "", back);
    Plan plan = new Plan(RestartWay.REBUILD, "", List.of(), List.of(), Map.of(), pin);
    List<TimelineEntry> timeline = new ArrayList<>();
    for (int i = 0; i < attempts; i++) {
      timeline.add(new TimelineEntry(RecoveryPhase.DRAINING, at.minusSeconds(50 - 9L * i), ""));
      timeline.add(new TimelineEntry(RecoveryPhase.RESUMING, at.minusSeconds(47 - 9L * i), ""));
      timeline.add(new TimelineEntry(RecoveryPhase.VERIFYING, at.minusSeconds(45 - 9L * i), ""));
    }
    timeline.add(new TimelineEntry(end, at, ""));
    RecoveryStatus status =
        new RecoveryStatus(
            end,
            at,
            Math.max(1, attempts),
            null,
            cause,
            Optional.ofNullable(back).map(_ -> plan).orElse(null),
            null,
            timeline,
            List.of());
    String name = job().view().key().name() + "-r" + number;
    return new RecoveryView(
        "team",
        name,
        name,
        "1",
        new RecoverySpec(JobRef.pyTorchJob("demo", "job-uid"), at, null),
        status);
  }
}
