package dev.rekindle.controller.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.TimelineEntry;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.cluster.ClusterGateway;
import dev.rekindle.controller.cluster.JobView.Mode;
import dev.rekindle.controller.cluster.JobView.OptIn;
import dev.rekindle.controller.cluster.JobView.RestartPolicy;
import dev.rekindle.controller.cluster.NodeView;
import dev.rekindle.controller.cluster.Policy;
import dev.rekindle.controller.cluster.RecoveryView;
import dev.rekindle.controller.journal.Metrics;
import dev.rekindle.controller.recovery.JobReconciler;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whole recoveries on virtual time. */
class RecoveryStoryTest {
  private static final int TICKS = 6_000;

  @Test
  void shouldBringAJobBackFromAnXid79() {
    Story story = new Story(RestartPolicy.ON_FAILURE);
    story.until(() -> story.cluster.step > 25);

    story.cluster.xid79("node-1");
    story.untilOver();

    RecoveryStatus status = story.only();
    assertThat(status.phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(status.timeline())
        .extracting(TimelineEntry::phase)
        .containsExactly(
            RecoveryPhase.DETECTED,
            RecoveryPhase.FENCING,
            RecoveryPhase.DRAINING,
            RecoveryPhase.PLANNING,
            RecoveryPhase.RESUMING,
            RecoveryPhase.VERIFYING,
            RecoveryPhase.RECOVERED);
    assertThat(Objects.requireNonNull(status.plan()).excludedNodes()).containsExactly("node-1");
    RecoveryStatus.Outcome outcome = Objects.requireNonNull(status.outcome());
    assertThat(outcome.resumedStep()).isEqualTo(20);
    assertThat(outcome.firstStepAfter()).isEqualTo(21);
    assertThat(outcome.secondsPerPhase().get("Draining"))
        .as("the cap of 5 s, not the 30 s that the pods ask for")
        .isBetween(5.0, 7.0);
    List<String> order = story.cluster.order;
    assertThat(order.indexOf("cordon node-1")).isNotNegative();
    assertThat(order.indexOf("cordon node-1"))
        .isLessThan(
            order.indexOf(
                order.stream().filter(o -> o.startsWith("delete")).findFirst().orElseThrow()));
    assertThat(story.cluster.pods(Given.KEY)).noneMatch(p -> p.node().equals("node-1"));
  }

  @ParameterizedTest
  @EnumSource(
      value = RestartPolicy.class,
      names = {"NEVER", "EXIT_CODE"})
  void shouldReviveAJobThatTheOperatorFailed(RestartPolicy policy) {
    Story story = new Story(policy);
    story.until(() -> story.cluster.step > 25);

    story.cluster.kill(2);
    story.untilOver();

    assertThat(story.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(story.cluster.nodes()).noneMatch(NodeView::unschedulable);
  }

  @Test
  void shouldRestartAStoppedRankAndFenceNobody() {
    Story story = new Story(RestartPolicy.ON_FAILURE);
    story.until(() -> story.cluster.step > 25);

    story.cluster.stoppedRank = 1;
    story.until(() -> !story.cluster.recoveries.isEmpty());
    story.cluster.stoppedRank = -1;
    story.untilOver();

    assertThat(Objects.requireNonNull(story.only().cause()).reason()).isEqualTo("Stalled");
    assertThat(story.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(story.cluster.nodes()).noneMatch(NodeView::unschedulable);
  }

  @Test
  void shouldGoOnWithoutASilentNodeAndKeepGenerationsApartWhenItComesBack() {
    Story story = new Story(RestartPolicy.ON_FAILURE);
    story.until(() -> story.cluster.step > 25);

    story.cluster.freeze("node-1");
    story.untilOver();
    story.cluster.thaw("node-1");
    story.until(() -> story.cluster.generations == 2 && story.cluster.step > 60);

    assertThat(story.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(story.cluster.order).filteredOn(o -> o.startsWith("force")).hasSize(1);
    assertThat(story.cluster.nodes()).noneMatch(NodeView::fencedByUs);
  }

  @Test
  void shouldCountTheStepsTrainedUntilTheGangWasGone() {
    Story story = new Story(RestartPolicy.NEVER);
    story.until(() -> story.cluster.step > 25);

    // The GPU is lost to the driver, while ranks train on in host memory until they are ended.
    story.cluster.faults.add(Given.fault("node-1", "XID-79", FenceGuidance.ALWAYS));
    story.until(() -> story.phase() == RecoveryPhase.PLANNING);
    long reached = story.cluster.step;
    story.untilOver();

    RecoveryStatus.Outcome outcome = Objects.requireNonNull(story.only().outcome());
    long last = Objects.requireNonNull(Objects.requireNonNull(story.only().cause()).lastStep());
    long resumed = Objects.requireNonNull(outcome.resumedStep());
    assertThat(last).isBetween(reached - 2, reached);
    assertThat(outcome.lostSteps()).isEqualTo(last - resumed);
  }

  @Test
  void shouldPassOverATornCheckpoint() {
    Story story = new Story(RestartPolicy.ON_FAILURE);
    story.until(() -> story.cluster.step > 35);

    story.cluster.newestTorn = true;
    story.cluster.xid79("node-2");
    story.untilOver();

    RecoveryStatus.PinnedCheckpoint pin =
        Objects.requireNonNull(Objects.requireNonNull(story.only().plan()).checkpoint());
    assertThat(pin.step()).isEqualTo(20);
    assertThat(pin.message()).contains("step 30 torn");
  }

  @Test
  void shouldHoldWhenTheBreakerIsOpenAndGoOnWhenANodeIsReleased() {
    Story story = new Story(RestartPolicy.ON_FAILURE);
    story.cluster.policy = limit(1);
    story.cluster.nodes.put(
        "node-3", Given.node("node-3", NodeView.Readiness.READY, Given.T0, true, "team/other-r1"));
    story.until(() -> story.cluster.step > 25);

    story.cluster.xid79("node-1");
    story.until(() -> story.phase() == RecoveryPhase.HELD);
    assertThat(story.cluster.pods(Given.KEY)).noneMatch(p -> p.terminating());
    assertThat(story.cluster.node("node-1").orElseThrow().unschedulable()).isFalse();
    story.cluster.release("node-3");
    story.untilOver();

    assertThat(story.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
  }

  @Test
  void shouldWaitForApprovalWithoutTouchingTheJob() {
    Story story = new Story(RestartPolicy.ON_FAILURE);
    story.cluster.optIn = new OptIn.Yes(Mode.APPROVE);
    story.until(() -> story.cluster.step > 25);

    story.cluster.xid79("node-1");
    story.until(() -> story.phase() == RecoveryPhase.HELD);

    assertThat(story.cluster.suspended).isFalse();
    assertThat(story.cluster.nodes()).noneMatch(NodeView::unschedulable);
  }

  @Test
  void shouldGiveUpAfterItsAttemptsAndLeaveTheJobUnsuspended() {
    Story story = new Story(RestartPolicy.NEVER);
    story.until(() -> story.cluster.step > 25);
    story.cluster.kill(1);
    for (int i = 0; i < 3; i++) {
      int generation = i;
      story.until(() -> attemptNumber(story) == generation + 1 && story.cluster.pods.size() == 3);
      story.cluster.kill(1);
    }
    story.untilOver();

    assertThat(story.only().phase()).isEqualTo(RecoveryPhase.FAILED);
    assertThat(story.cluster.suspended).isFalse();
  }

  @Test
  void shouldSurviveACrashAtAnyCall() {
    for (int seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed);
      Story story = new Story(policyOf(random), random, 0.15);
      try {
        story.until(() -> story.cluster.step > 25);
        befall(story, random);
        story.untilOver();
        story.until(() -> !story.cluster.suspended);
      } catch (AssertionError broken) {
        throw new AssertionError("seed " + seed + " " + story, broken);
      }
      assertThat(story.only().phase())
          .as("seed %d %s", seed, story)
          .isEqualTo(RecoveryPhase.RECOVERED);
    }
  }

  private static RestartPolicy policyOf(Random random) {
    return List.of(RestartPolicy.values()).get(random.nextInt(4));
  }

  private static void befall(Story story, Random random) {
    String node = "node-" + random.nextInt(3);
    switch (random.nextInt(3)) {
      case 0 -> story.cluster.xid79(node);
      case 1 -> story.cluster.freeze(node);
      default -> {
        story.cluster.newestTorn = true;
        story.cluster.xid79(node);
      }
    }
  }

  private static int attemptNumber(Story story) {
    String attempt = story.cluster.attempt;
    return attempt.isEmpty() ? 0 : attempt.charAt(attempt.length() - 1) - '0';
  }

  private static Policy limit(int fenced) {
    Policy p = Policy.DEFAULT;
    return new Policy(
        p.mode(),
        p.maxRestarts(),
        p.budgetWindow(),
        p.maxAttempts(),
        fenced,
        p.gracePeriodCap(),
        p.drainTimeout(),
        p.stall(),
        p.silentNode(),
        p.inPlace(),
        p.start(),
        p.inspect(),
        p.failedJob(),
        p.stable(),
        p.topologyKeys());
  }

  /** The controller beside the fake cluster; a new process takes over whenever one crashes. */
  private static final class Story {
    final FakeCluster cluster;
    private final ClusterGateway gateway;
    private JobReconciler process;
    private Instant due;
    private int crashes;

    Story(RestartPolicy policy) {
      this(policy, new Random(0), 0);
    }

    Story(RestartPolicy policy, Random random, double crashRate) {
      cluster = new FakeCluster(policy);
      gateway = new CrashingGateway(cluster, random, crashRate);
      process = start();
      due = cluster.now;
    }

    private JobReconciler start() {
      return new JobReconciler(
          cluster,
          gateway,
          new Metrics(new PrometheusRegistry()),
          () -> cluster.now,
          Runnable::run);
    }

    void until(BooleanSupplier condition) {
      for (int i = 0; i < TICKS; i++) {
        if (condition.getAsBoolean()) {
          return;
        }
        tick();
      }
      throw new AssertionError("not within " + TICKS + " ticks");
    }

    void untilOver() {
      until(
          () ->
              !cluster.recoveries.isEmpty()
                  && cluster.recoveries.values().stream().noneMatch(RecoveryView::open));
    }

    private void tick() {
      cluster.tick();
      // Watches wake the controller at every change; a fifth of a second stands for that.
      if (cluster.now.isBefore(due) && cluster.now.toEpochMilli() % 200 != 0) {
        return;
      }
      try {
        Optional<Duration> again = process.reconcile(Given.KEY);
        due = cluster.now.plus(again.orElse(Duration.ofHours(1)));
      } catch (CrashingGateway.Crash crash) {
        crashes++;
        process = start();
        due = cluster.now;
      } catch (ClusterGateway.StaleException lookAgain) {
        due = cluster.now;
      }
      check();
    }

    private void check() {
      assertThat(cluster.computing()).as("generations that compute").hasSizeLessThanOrEqualTo(1);
      assertThat(cluster.recoveries.values().stream().filter(RecoveryView::open).count())
          .as("open recoveries")
          .isLessThanOrEqualTo(1);
    }

    RecoveryStatus only() {
      assertThat(cluster.recoveries).hasSize(1);
      return Objects.requireNonNull(cluster.recoveries.values().iterator().next().status());
    }

    @org.jspecify.annotations.Nullable
    RecoveryPhase phase() {
      return cluster.recoveries.isEmpty() ? null : only().phase();
    }

    @Override
    public String toString() {
      return "at %s, %d crashes, step %d, %s, %s"
          .formatted(cluster.now, crashes, cluster.step, cluster.recoveries, cluster.order);
    }
  }
}
