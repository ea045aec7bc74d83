package dev.rekindle.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.TimelineEntry;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.PodView.Phase;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RestartMode;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.world.ConfigMapObject;
import dev.rekindle.simulator.world.NodeObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whole recoveries of a job on node-0 to node-2, with node-3 to spare. */
class SimulatedJobTest {
  private SimulatedJob story = new SimulatedJob(Given.job(), Policy.DEFAULT);

  @AfterEach
  void close() {
    story.close();
  }

  @Test
  void shouldReplaceOnePodAndRestartTheOthersInPlaceAfterAnXid79() {
    story.until(() -> story.step() > 25);
    Map<String, String> before = uids();

    story.levers().gpuLost("node-1");
    story.untilOver();
    story.until(() -> story.deeds().getLast().startsWith("withdraw"));

    RecoveryStatus status = story.only();
    assertThat(status.phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(Objects.requireNonNull(status.plan()).restart()).isEqualTo("InPlace");
    assertThat(Objects.requireNonNull(status.outcome()).firstStepAfter()).isEqualTo(21);
    assertThat(story.deeds())
        .filteredOn(d -> !d.startsWith("cordon"))
        .containsExactly(
            "order demo-r1-1 FREEZE",
            "delete demo-worker-0",
            "order demo-r1-1 RESTART_LEADER",
            "order demo-r1-1 RESTART_ALL",
            "withdraw demo-r1-1");
    assertThat(story.pods())
        .filteredOn(p -> p.uid().equals(before.get(p.name())))
        .hasSize(2)
        .allMatch(p -> p.restarts() == 1);
    assertThat(story.pods()).hasSize(3).noneMatch(p -> p.node().equals("node-1"));
  }

  private Map<String, String> uids() {
    return story.pods().stream().collect(Collectors.toMap(PodView::name, PodView::uid));
  }

  /** Somebody else looks after the GPUs of this cluster, and says so in a condition. */
  @Test
  void shouldRecoverFromANodeWhoseConditionTurnsBadAndReleaseItWhenItTurnsWell() {
    story.until(() -> story.step() > 25);

    story.levers().condition("node-1", "GPUMissing", "True", "GPUIsMissing");
    story.untilOver();

    RecoveryStatus status = story.only();
    assertThat(status.phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(Objects.requireNonNull(status.cause()).reason()).isEqualTo("COND-GPUMISSING");
    assertThat(Objects.requireNonNull(status.cause()).faultyNodes()).containsExactly("node-1");
    assertThat(story.deeds()).contains("cordon node-1");

    story.levers().condition("node-1", "GPUMissing", "False", "NoGPUIsMissing");
    story.until(() -> !story.node("node-1").fencedByUs());
    assertThat(story.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
  }

  /**
   * Back within the time after which a node counts as silent, and its kubelet says Ready at once.
   */
  @Test
  void shouldReleaseANodeOfWhoseRebootOnlyItsBootTells() {
    story.until(() -> story.step() > 25);
    story.levers().gpuLost("node-1");
    story.untilOver();
    NodeObject fenced = story.world().nodes().get("node-1");
    assertThat(fenced.fencedBy()).isNotEmpty();

    Instant rebooted = story.now();
    story.levers().rebootQuietly("node-1", Duration.ofSeconds(4));
    story.until(() -> story.world().nodes().get("node-1").fencedBy().isEmpty());

    NodeObject released = story.world().nodes().get("node-1");
    assertThat(released.since()).as("it was Ready all the time").isEqualTo(fenced.since());
    assertThat(Duration.between(rebooted, story.now()))
        .isBetween(Policy.DEFAULT.rebootSettle(), Policy.DEFAULT.rebootSettle().plusSeconds(10));
  }

  @Test
  void shouldFenceNobodyForAConditionThatIsOnlyWatched() {
    story.until(() -> story.step() > 25);

    story.levers().condition("node-1", "XIDErrors", "True", "XidFound");
    story.runFor(Duration.ofMinutes(5));

    assertThat(story.world().faults().list())
        .singleElement()
        .satisfies(f -> assertThat(f.view().code()).isEqualTo("COND-XIDERRORS"));
    assertThat(story.deeds()).isEmpty();
  }

  @Test
  void shouldRebuildAJobThatAsksForItAfterAnXid79() {
    begin(Given.job().way(RestartMode.REBUILD), Policy.DEFAULT);
    story.until(() -> story.step() > 25);

    story.levers().gpuLost("node-1");
    story.untilOver();

    RecoveryStatus status = story.only();
    assertThat(status.phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(status.timeline())
        .extracting(TimelineEntry::phase)
        .containsExactly(
            RecoveryPhase.DETECTED,
            RecoveryPhase.FENCING,
            RecoveryPhase.DRAINING,
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
        .isBetween(5.0, 8.0);
    List<String> deeds = story.deeds();
    assertThat(deeds.indexOf("cordon node-1")).isNotNegative();
    assertThat(deeds.indexOf("cordon node-1"))
        .isLessThan(
            deeds.indexOf(
                deeds.stream().filter(d -> d.startsWith("delete")).findFirst().orElseThrow()));
    assertThat(story.pods()).hasSize(3).noneMatch(p -> p.node().equals("node-1"));
  }

  @ParameterizedTest
  @EnumSource(
      value = RestartPolicy.class,
      names = {"NEVER", "EXIT_CODE"})
  void shouldReviveAJobThatTheOperatorFailed(RestartPolicy policy) {
    begin(Given.job().restart(policy), Policy.DEFAULT);
    story.until(() -> story.step() > 25);

    // Nobody is there to suspend the job before the operator fails it.
    story.levers().controllerDies();
    story.levers().rankDies(Given.KEY, 2, 1);
    story.untilOver();

    assertThat(story.told()).anyMatch(t -> t.contains("the operator says: Failed"));
    assertThat(story.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(story.nodes()).noneMatch(NodeView::unschedulable);
  }

  @Test
  void shouldRestartAStoppedRankAndFenceNobody() {
    story.until(() -> story.step() > 25);

    story.levers().rankHangs(Given.KEY, 1);
    story.untilOver();

    assertThat(Objects.requireNonNull(story.only().cause()).reason()).isEqualTo("Stalled");
    assertThat(story.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(story.nodes()).noneMatch(NodeView::unschedulable);
  }

  @Test
  void shouldGoOnWithoutASilentNodeAndKeepGenerationsApartWhenItComesBack() {
    story.until(() -> story.step() > 25);

    story.levers().nodeHangs("node-1");
    story.untilOver();
    story.levers().nodeReturns("node-1");
    long then = story.step();
    story.until(() -> story.step() > then + 600);

    assertThat(story.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(story.deeds()).filteredOn(d -> d.startsWith("force")).hasSize(1);
    assertThat(story.nodes()).noneMatch(NodeView::fencedByUs);
  }

  @Test
  void shouldCountTheStepsTrainedUntilTheGangWasGone() {
    begin(
        Given.job()
            .restart(RestartPolicy.NEVER)
            .training(Duration.ofMillis(100), 250, Duration.ZERO),
        Policy.DEFAULT);
    story.until(() -> story.step() > 25);

    // The GPU is lost to the driver, while ranks train on in host memory until they are ended.
    story.stateFault("node-1");
    story.until(() -> story.phase() == RecoveryPhase.PLANNING);
    long reached = story.step();
    story.untilOver();

    RecoveryStatus.Outcome outcome = Objects.requireNonNull(story.only().outcome());
    long last = Objects.requireNonNull(Objects.requireNonNull(story.only().cause()).lastStep());
    long resumed = Objects.requireNonNull(outcome.resumedStep());
    assertThat(last).as("%d, as reported every 5 s", reached).isBetween(reached - 63, reached);
    assertThat(resumed).isEqualTo(250);
    assertThat(outcome.lostSteps()).isEqualTo(last - resumed).isPositive();
  }

  @Test
  void shouldPassOverATornCheckpoint() {
    story.until(() -> story.step() > 35);

    story.levers().tearNewestCheckpoint(Given.KEY);
    story.levers().gpuLost("node-2");
    story.untilOver();

    RecoveryStatus.PinnedCheckpoint pin =
        Objects.requireNonNull(Objects.requireNonNull(story.only().plan()).checkpoint());
    assertThat(pin.step()).isEqualTo(20);
    assertThat(pin.message()).contains("step 30 torn");
  }

  @Test
  void shouldRestartAllInPlaceOnceWhenTheScriptAsksForIt() {
    story.until(() -> story.step() > 25);
    Map<String, String> before = uids();

    story.levers().restartAsked(Given.KEY, 1);
    story.untilOver();
    long then = story.step();
    story.until(() -> story.step() > then + 600);

    RecoveryStatus status = story.only();
    assertThat(Objects.requireNonNull(status.cause()).reason()).isEqualTo("RestartAsked");
    assertThat(Objects.requireNonNull(status.plan()).restart()).isEqualTo("InPlace");
    assertThat(uids()).isEqualTo(before);
    assertThat(story.pods()).allMatch(p -> p.restarts() == 1);
    assertThat(story.nodes()).noneMatch(NodeView::unschedulable);
  }

  @Test
  void shouldGoBackOnPurposeAndNeverReturnToWhatWasGivenUp() {
    begin(Given.job().training(Duration.ofMillis(100), 50, Duration.ZERO), Policy.DEFAULT);
    story.until(() -> story.step() > 230);

    story.levers().rollBackAsked(Given.KEY, 1, 60);
    story.untilOver();

    RecoveryStatus.PinnedCheckpoint back =
        Objects.requireNonNull(Objects.requireNonNull(story.only().plan()).checkpoint());
    assertThat(back.step()).as(back.message()).isEqualTo(150);
    assertThat(Objects.requireNonNull(back.rollBack()).from()).isGreaterThan(200);
    story.until(() -> story.step() > 205);
    story.levers().gpuLost("node-1");
    story.untilOver(2);
    RecoveryStatus.PinnedCheckpoint next =
        Objects.requireNonNull(Objects.requireNonNull(story.newest().plan()).checkpoint());
    assertThat(next.step()).isEqualTo(200);
    assertThat(next.message()).contains("step 250 valid (given up)");
  }

  @Test
  void shouldTellAGangAnewInPlaceThatWasToldByARebuild() {
    begin(Given.job().training(Duration.ofMillis(100), 50, Duration.ZERO), Policy.DEFAULT);
    story.until(() -> story.step() > 230);
    story.levers().rollBackAsked(Given.KEY, 1, 60);
    story.untilOver();
    assertThat(Objects.requireNonNull(story.only().plan()).restart()).isEqualTo("Rebuild");
    story.until(() -> story.step() > 280);

    story.levers().rollBackAsked(Given.KEY, 1, 60);
    story.untilOver(2);

    RecoveryStatus.Plan back = Objects.requireNonNull(story.newest().plan());
    assertThat(back.restart()).isEqualTo("InPlace");
    assertThat(Objects.requireNonNull(back.checkpoint()).rollBack()).isNotNull();
    assertThat(story.pods())
        .extracting(PodView::resumeFrom)
        .containsOnly(Objects.requireNonNull(back.checkpoint()).path());

    story.until(() -> story.step() > 300);
    story.levers().gpuLost("node-1");
    story.untilOver(3);
    assertThat(story.newest().phase()).isEqualTo(RecoveryPhase.RECOVERED);
  }

  @Test
  void shouldHoldWhenTheBreakerIsOpenAndGoOnWhenANodeIsReleased() {
    begin(Given.job(), Given.policy(5, 1));
    story.levers().gpuLost("node-3");
    story.until(() -> story.step() > 25);
    story.world().nodes().patch("node-3", n -> n.cordoned(true, "team/other-r1"));

    story.levers().gpuLost("node-1");
    story.until(() -> story.phase() == RecoveryPhase.HELD);
    assertThat(story.pods()).noneMatch(PodView::terminating);
    assertThat(story.node("node-1").unschedulable()).isFalse();
    story.levers().repaired("node-3");
    story.untilOver();

    assertThat(story.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(story.node("node-1").fencedBy()).isEqualTo("team/demo-r1");
  }

  @Test
  void shouldHoldCalmlyWhileTheBreakerIsFullOfPlacesThatNoCacheShows() {
    begin(Given.job(), Given.policy(5, 1));
    story.until(() -> story.step() > 25);
    Instant taken = takeAPlace();

    story.levers().gpuLost("node-1");
    story.until(() -> story.phase() == RecoveryPhase.HELD);

    assertThat(story.only().timeline().getLast().detail())
        .contains("BreakerOpen", "node-1", "node-3", "the limit of 1");
    story.until(() -> story.now().isAfter(taken.plusSeconds(59)));
    assertThat(story.phase()).isEqualTo(RecoveryPhase.HELD);
    assertThat(story.nodes()).noneMatch(NodeView::unschedulable);
    story.untilOver();
    assertThat(story.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(story.only().timeline())
        .extracting(TimelineEntry::phase)
        .containsOnlyOnce(RecoveryPhase.HELD);
  }

  @Test
  void shouldAskAFullBreakerAgainOnlyAfterAWhile() {
    begin(Given.job(), Given.policy(5, 1));
    story.until(() -> story.step() > 25);
    Instant taken = takeAPlace();
    story.levers().gpuLost("node-1");
    story.until(() -> story.phase() == RecoveryPhase.HELD);
    int looks = story.looks();

    story.until(() -> story.now().isAfter(taken.plusSeconds(40)));

    assertThat(story.phase()).isEqualTo(RecoveryPhase.HELD);
    assertThat(story.looks() - looks).as("looks in some 38 s").isBetween(2, 40);
  }

  /** The process died between taking the place and cordoning. */
  private Instant takeAPlace() {
    Instant now = story.now();
    story
        .world()
        .configMaps()
        .create(
            new ConfigMapObject(
                Meta.draft("rekindle-system", "rekindle-fences", ""),
                Map.of("node-3", "team/other-r1 " + now)));
    return now;
  }

  @Test
  void shouldWaitForApprovalWithoutTouchingTheJob() {
    begin(Given.job().mode(Mode.APPROVE), Policy.DEFAULT);
    story.until(() -> story.step() > 25);

    story.levers().gpuLost("node-1");
    story.until(() -> story.phase() == RecoveryPhase.HELD);
    story.runFor(Duration.ofMinutes(5));

    assertThat(story.phase()).isEqualTo(RecoveryPhase.HELD);
    assertThat(story.suspended()).isFalse();
    assertThat(story.nodes()).noneMatch(NodeView::unschedulable);
  }

  @Test
  void shouldLetAJobGoThatOptsOutBeforeItIsSuspended() {
    begin(Given.job(), Given.policy(5, 0));
    story.until(() -> story.step() > 25);
    story.levers().gpuLost("node-1");
    story.until(() -> story.phase() == RecoveryPhase.HELD);

    story.levers().optOut(Given.KEY);
    story.untilOver();

    assertThat(story.only().phase()).isEqualTo(RecoveryPhase.CANCELLED);
    assertThat(story.deeds()).isEmpty();
    assertThat(story.suspended()).isFalse();
  }

  @Test
  void shouldBringAJobBackThatOptsOutOnceItIsSuspended() {
    begin(Given.job().way(RestartMode.REBUILD), Policy.DEFAULT);
    story.until(() -> story.step() > 25);
    story.levers().gpuLost("node-1");
    story.until(story::suspended);

    story.levers().optOut(Given.KEY);
    story.untilOver();

    assertThat(story.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(story.suspended()).isFalse();
  }

  @Test
  void shouldGiveUpAfterItsAttemptsAndLeaveTheJobUnsuspended() {
    begin(Given.job().restart(RestartPolicy.NEVER), Policy.DEFAULT);
    story.until(() -> story.step() > 25);
    story.levers().rankDies(Given.KEY, 1, 1);
    for (int attempt = 1; attempt <= 3; attempt++) {
      endAttempt(attempt);
    }
    story.untilOver();

    assertThat(story.only().phase()).isEqualTo(RecoveryPhase.FAILED);
    assertThat(story.suspended()).isFalse();
  }

  @Test
  void shouldStopTryingWhenTheBudgetIsSpent() {
    begin(Given.job().restart(RestartPolicy.NEVER), Given.policy(2, 3));
    story.until(() -> story.step() > 25);
    story.levers().rankDies(Given.KEY, 1, 1);
    for (int attempt = 1; attempt <= 2; attempt++) {
      endAttempt(attempt);
    }
    story.untilOver();
    story.until(
        () -> story.announced().stream().anyMatch(a -> a.reason() == Reason.BUDGET_EXHAUSTED));

    assertThat(story.only().phase()).isEqualTo(RecoveryPhase.FAILED);
    assertThat(story.only().attempt()).isEqualTo(2);
    assertThat(story.only().timeline().getLast().detail()).contains("budget");
    assertThat(story.deeds()).filteredOn(d -> d.startsWith("resume")).hasSize(2);
    assertThat(story.suspended()).isFalse();
  }

  private void endAttempt(int attempt) {
    story.until(
        () ->
            story.job().attempt().endsWith("-" + attempt)
                && story.pods().size() == 3
                && story.pods().stream().allMatch(p -> p.phase() == Phase.RUNNING));
    story.levers().rankDies(Given.KEY, 1, 1);
  }

  // --- with a crash at any call -------------------------------------------------------------

  @Test
  void shouldSurviveACrashAtAnyCall() {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      beginCrashing(random);
      try {
        story.until(() -> story.step() > 25);
        befall(random);
        story.untilOver();
        story.until(() -> !story.suspended());
        assertThat(story.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
      } catch (AssertionError broken) {
        throw new AssertionError("seed " + seed + " " + story, broken);
      }
    }
  }

  @Test
  void shouldNeverLeaveAJobSuspendedThatOptsOutAtAnyMomentWithACrashAtAnyCall() {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      beginCrashing(random);
      try {
        story.until(() -> story.step() > 25);
        befall(random);
        story.until(() -> story.phase() != null);
        Instant optOut = story.now().plusMillis(100L * random.nextInt(100));
        story.until(() -> !story.now().isBefore(optOut));
        boolean suspended = story.suspended();
        story.levers().optOut(Given.KEY);
        story.until(() -> !story.suspended());
        story.untilOver();
        assertThat(story.suspended()).isFalse();
        assertThat(story.only().phase())
            .isIn(RecoveryPhase.RECOVERED, suspended ? null : RecoveryPhase.CANCELLED);
      } catch (AssertionError broken) {
        throw new AssertionError("seed " + seed + " " + story, broken);
      }
    }
  }

  private void befall(Random random) {
    String node = "node-" + random.nextInt(3);
    switch (random.nextInt(3)) {
      case 0 -> story.levers().gpuLost(node);
      case 1 -> story.levers().nodeHangs(node);
      default -> {
        story.levers().tearNewestCheckpoint(Given.KEY);
        story.levers().gpuLost(node);
      }
    }
  }

  private void beginCrashing(Random random) {
    RestartPolicy policy = List.of(RestartPolicy.values()).get(random.nextInt(4));
    story.close();
    story = new SimulatedJob(Given.job().restart(policy), Policy.DEFAULT, random, 0.15);
  }

  private void begin(Given.Job job, Policy policy) {
    story.close();
    story = new SimulatedJob(job, policy);
  }
}
