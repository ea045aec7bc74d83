package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.failed;
import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.detect.node.NodeOwner;
import dev.rekindle.detect.node.NodeSigns;
import dev.rekindle.detect.node.PodDevices;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class RecoveryMachineTest {
  private static final String ME = "demo-r2";
  private static final Instant NOW = T0.plusSeconds(10);
  private static final FaultView XID_79 = fault("node-1", "XID-79", FenceGuidance.ALWAYS);
  private static final Map<String, Long> TOO_FEW = Map.of("node-0", 8L, "node-3", 1L);
  private static final OptIn NO = new OptIn.No();
  private static final OptIn OBSERVE = new OptIn.Yes(Mode.OBSERVE);
  private static final OptIn UNUSABLE = new OptIn.Unusable("rekindle.dev/recover=\"maybe\"");

  static Stream<Arguments> notYetSuspended() {
    return Stream.of(
        argumentSet("removed while Detected", NO, RecoveryPhase.DETECTED, null),
        argumentSet("lowered while Detected", OBSERVE, RecoveryPhase.DETECTED, null),
        argumentSet("removed while Fencing", NO, RecoveryPhase.FENCING, null),
        argumentSet("unusable while Fencing", UNUSABLE, RecoveryPhase.FENCING, null),
        argumentSet(
            "removed while held for approval", NO, RecoveryPhase.HELD, RecoveryPhase.DETECTED),
        argumentSet(
            "lowered while the breaker is open",
            OBSERVE,
            RecoveryPhase.HELD,
            RecoveryPhase.FENCING),
        argumentSet("removed before the suspension", NO, RecoveryPhase.DRAINING, null),
        argumentSet("unusable before the suspension", UNUSABLE, RecoveryPhase.DRAINING, null));
  }

  @ParameterizedTest
  @MethodSource("notYetSuspended")
  void shouldLetAJobGoThatOptsOutBeforeItIsSuspended(
      OptIn optIn, RecoveryPhase phase, @Nullable RecoveryPhase heldFrom) {
    Decision decision = decide(job().optIn(optIn), status(phase, heldFrom, 1), gang(""), 0);

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.CANCELLED);
    assertThat(said(decision)).contains("the job opted out");
  }

  static Stream<Arguments> suspended() {
    return Stream.of(
        argumentSet("Fencing again", ME, RecoveryPhase.FENCING, null, "XID-79"),
        argumentSet("Draining", ME, RecoveryPhase.DRAINING, null, "XID-79"),
        argumentSet("drain blocked", ME, RecoveryPhase.HELD, RecoveryPhase.DRAINING, "XID-79"),
        argumentSet("Planning", ME, RecoveryPhase.PLANNING, null, "XID-79"),
        argumentSet("Resuming", ME, RecoveryPhase.RESUMING, null, "XID-79"),
        argumentSet("orphan, Detected", "demo-r1", RecoveryPhase.DETECTED, null, "Orphaned"),
        argumentSet("orphan, Draining", "demo-r1", RecoveryPhase.DRAINING, null, "Orphaned"));
  }

  @ParameterizedTest
  @MethodSource("suspended")
  void shouldCarryOnWithAJobThatOptsOutOnceItIsSuspended(
      String by, RecoveryPhase phase, @Nullable RecoveryPhase heldFrom, String reason) {
    RecoveryStatus status = status(phase, heldFrom, 1, reason);

    Decision optedIn = decide(job().suspended(by, true), status, gang(""), 0);

    for (OptIn optIn : List.of(NO, OBSERVE, UNUSABLE)) {
      assertThat(decide(job().optIn(optIn).suspended(by, true), status, gang(""), 0))
          .as("%s", optIn)
          .isEqualTo(optedIn);
    }
    if (optedIn instanceof Decision.Move(RecoveryStatus next, _)) {
      assertThat(Objects.requireNonNull(next.phase()).isTerminal()).isFalse();
    }
  }

  static Stream<Arguments> leftAlone() {
    return Stream.of(
        argumentSet("opted out", job().optIn(NO), "the job opted out"),
        argumentSet(
            "handed to an autoscaler",
            job().notOurs("spec.elasticPolicy lets torchrun go on with 1 to 8 replicas."),
            "not ours: spec.elasticPolicy"));
  }

  @ParameterizedTest
  @MethodSource("leftAlone")
  void shouldNotTryAgainWhatIsToBeLeftAloneMeanwhile(Given.Job job, String why) {
    Decision decision =
        decide(
            job.restart(RestartPolicy.NEVER),
            status(RecoveryPhase.VERIFYING, null, 1),
            broken(1),
            1);

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.CANCELLED);
    assertThat(said(decision)).contains(why, "attempt 1", "failed");
  }

  @ParameterizedTest
  @EnumSource(
      value = RecoveryPhase.class,
      names = {"DETECTED", "FENCING", "DRAINING"})
  void shouldLetAJobGoThatIsHandedToAnotherBeforeItIsSuspended(RecoveryPhase phase) {
    Decision decision =
        decide(job().notOurs("Kueue owns the job."), status(phase, null, 1), gang(""), 0);

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.CANCELLED);
    assertThat(said(decision)).contains("Kueue owns the job");
  }

  @Test
  void shouldStillCallItRecoveredWhenAJobThatOptedOutTrainsAgain() {
    List<PodView> gang = gang(ME + "-1");
    RecoverySnapshot snapshot =
        snapshot(
            job().optIn(NO),
            status(RecoveryPhase.VERIFYING, null, 1),
            gang,
            Given.ranks(gang, 21L, NOW, NOW),
            1);

    assertThat(entered(RecoveryMachine.decide(snapshot, Policy.DEFAULT, NOW)))
        .isEqualTo(RecoveryPhase.RECOVERED);
  }

  @Test
  void shouldNotCallItRecoveredWhileARankIsNotReadyThoughStepsWereSeen() {
    List<PodView> gang = new ArrayList<>(gang(ME + "-1"));
    gang.set(2, gang.get(2).withReady(false));
    RecoverySnapshot snapshot =
        snapshot(
            job(),
            status(RecoveryPhase.VERIFYING, null, 1),
            gang,
            Given.ranks(gang, 21L, NOW, NOW),
            1);

    assertThat(RecoveryMachine.decide(snapshot, Policy.DEFAULT, NOW))
        .isInstanceOf(Decision.Wait.class);
  }

  @Test
  void shouldNotWaitForTheStepsOfAJobThatOptedOutWhichAgentsFollowNoMore() {
    RecoveryStatus status = status(RecoveryPhase.VERIFYING, null, 1);
    RecoverySnapshot optedOut = snapshot(job().optIn(NO), status, gang(ME + "-1"), List.of(), 1);
    RecoverySnapshot optedIn = snapshot(job(), status, gang(ME + "-1"), List.of(), 1);
    Instant stable = T0.plus(Policy.DEFAULT.readyStable());

    assertThat(RecoveryMachine.decide(optedOut, Policy.DEFAULT, stable.minusSeconds(1)))
        .isInstanceOf(Decision.Wait.class);
    assertThat(entered(RecoveryMachine.decide(optedOut, Policy.DEFAULT, stable)))
        .isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(RecoveryMachine.decide(optedIn, Policy.DEFAULT, stable))
        .isInstanceOf(Decision.Wait.class);
  }

  @Test
  void shouldCountLostGpuTimeToTheMillisecond() {
    Instant trains = T0.plusMillis(83_064);
    List<PodView> gang = gang(ME + "-1");
    RecoverySnapshot snapshot =
        snapshot(
            job(),
            status(RecoveryPhase.VERIFYING, null, 1),
            gang,
            Given.ranks(gang, 21L, trains, trains),
            1);

    RecoveryStatus next =
        ((Decision.Move) RecoveryMachine.decide(snapshot, Policy.DEFAULT, T0.plusSeconds(90)))
            .next();

    // 83.064 * 24 is 1993.5359999999998
    assertThat(Objects.requireNonNull(next.outcome()).lostGpuSeconds()).isEqualTo(1993.536);
  }

  /** The defaults: five restarts within the window, three attempts. */
  @ParameterizedTest
  @CsvSource({
    "1, 1, DRAINING",
    "1, 4, DRAINING",
    "1, 5, FAILED",
    "2, 4, DRAINING",
    "2, 5, FAILED",
    "2, 6, FAILED"
  })
  void shouldTryAgainOnlyWithinTheBudget(int attempt, int restarts, RecoveryPhase next) {
    Decision decision =
        decide(
            job().restart(RestartPolicy.NEVER),
            status(RecoveryPhase.VERIFYING, null, attempt),
            broken(attempt),
            restarts);

    assertThat(entered(decision)).isEqualTo(next);
    if (next == RecoveryPhase.FAILED) {
      assertThat(said(decision))
          .contains("attempt " + attempt, "demo-worker-0 failed", "budget", "maxRestarts is 5");
      assertThat(((Decision.Move) decision).notes())
          .singleElement()
          .satisfies(n -> assertThat(n.reason()).isEqualTo(Reason.RECOVERY_FAILED));
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = RecoveryPhase.class,
      names = {"DETECTED", "FENCING", "DRAINING", "PLANNING", "RESUMING"})
  void shouldResumeAnOrphanWhateverTheBudgetSays(RecoveryPhase phase) {
    Given.Job orphan = job().suspended(phase == RecoveryPhase.DETECTED ? "demo-r1" : ME, true);
    RecoveryStatus status = status(phase, null, 1, "Orphaned");

    assertThat(decide(orphan, status, List.of(), 99))
        .isEqualTo(decide(orphan, status, List.of(), 0));
  }

  static Stream<Arguments> fencing() {
    NodeView free = node("node-1");
    NodeView fenced = node("node-1", Readiness.READY, T0, true, "team/" + ME);
    return Stream.of(
        argumentSet("the fault stands", free, List.of(XID_79), true, ""),
        argumentSet("fenced", fenced, List.of(XID_79), false, "cordoned: node-1"),
        argumentSet("repaired", free, List.of(), false, "no fault that fences is left on node-1"),
        argumentSet(
            "repaired, not released yet",
            fenced,
            List.of(),
            false,
            "no fault that fences is left on node-1"));
  }

  @Test
  void shouldCallNoNodeFencedThatIsNotThere() {
    RecoverySnapshot gone =
        snapshot(
            job(),
            status(RecoveryPhase.FENCING, null, 1),
            gang(""),
            Map.of(),
            List.of(XID_79),
            List.of(),
            0);

    Decision decision = RecoveryMachine.decide(gone, Policy.DEFAULT, NOW);

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.DRAINING);
    assertThat(said(decision)).isEqualTo("no longer there: node-1");
    assertThat(((Decision.Move) decision).notes()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("fencing")
  void shouldFenceOnlyWhatIsStillFaulty(
      NodeView node, List<FaultView> faults, boolean cordons, String said) {
    Decision decision = decide(status(RecoveryPhase.FENCING, null, 1), gang(""), node, faults);

    if (cordons) {
      assertThat(decision)
          .isInstanceOfSatisfying(
              Decision.Act.class,
              act ->
                  assertThat(act.effects())
                      .singleElement()
                      .isInstanceOfSatisfying(
                          Effect.Cordon.class, c -> assertThat(c.node()).isEqualTo("node-1")));
    } else {
      assertThat(entered(decision)).isEqualTo(RecoveryPhase.DRAINING);
      assertThat(said(decision)).isEqualTo(said);
      assertThat(((Decision.Move) decision).notes()).hasSameSizeAs(faults);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = RecoveryPhase.class,
      names = {"FENCING", "DRAINING"})
  void shouldFenceNothingForAJobThatOptedOutOnceItIsSuspended(RecoveryPhase phase) {
    for (OptIn optIn : List.of(NO, OBSERVE, UNUSABLE)) {
      RecoverySnapshot snapshot =
          snapshot(
              job().optIn(optIn).suspended(ME, true),
              status(phase, null, 1),
              gang(""),
              Given.nodes(),
              List.of(XID_79),
              List.of(),
              0);

      Decision decision = RecoveryMachine.decide(snapshot, Policy.DEFAULT, NOW);

      if (phase == RecoveryPhase.FENCING) {
        assertThat(entered(decision)).as("%s", optIn).isEqualTo(RecoveryPhase.DRAINING);
        assertThat(said(decision)).contains("not fenced");
      } else {
        // Nor is it sent back to fence what it has passed over.
        assertThat(decision).as("%s", optIn).isInstanceOf(Decision.Act.class);
      }
    }
  }

  static Stream<Arguments> others() {
    NodeView free = node("node-1");
    return Stream.of(
        argumentSet(
            "cordoned by somebody",
            node("node-1", Readiness.READY, T0, true, ""),
            "node-1 is left to the one who cordoned it"),
        argumentSet(
            "tainted",
            owned(free, new NodeOwner("Karpenter", "taint karpenter.sh/disrupted", true)),
            "node-1 is left to Karpenter (taint karpenter.sh/disrupted)"),
        argumentSet(
            "labelled",
            owned(free, new NodeOwner("NVSentinel", "label state=draining", false)),
            "node-1 is left to NVSentinel (label state=draining)"));
  }

  private static NodeView owned(NodeView node, NodeOwner owner) {
    return node.withSigns(new NodeSigns(List.of(), List.of(), List.of(), owner));
  }

  @ParameterizedTest
  @MethodSource("others")
  void shouldLeaveANodeToWhoeverIsAtWorkOnItAndSaySo(NodeView node, String said) {
    List<FaultView> faults = List.of(XID_79);
    Decision fencing = decide(status(RecoveryPhase.FENCING, null, 1), gang(""), node, faults);

    assertThat(entered(fencing)).isEqualTo(RecoveryPhase.DRAINING);
    assertThat(said(fencing)).isEqualTo(said);
    assertThat(((Decision.Move) fencing).notes()).isEmpty();
    // Nor is it fenced on second thoughts.
    assertThat(decide(status(RecoveryPhase.DRAINING, null, 1), gang(""), node, faults))
        .isInstanceOf(Decision.Act.class);
  }

  @Test
  void shouldNotLearnOfTheFaultOfAGpuThatIsAnotherJobs() {
    FaultView theirs =
        Given.fault("node-2", "XID-79", FenceGuidance.ALWAYS)
            .with(b -> b.component("GPU GPU-22222222-aaaa-bbbb-cccc-000000000002").evidence(""));
    List<PodView> unknown = gang("");
    List<PodView> known = new ArrayList<>(unknown);
    known.set(
        2,
        known
            .get(2)
            .withDevices(
                new PodDevices(
                    true, Set.of("GPU-11111111-aaaa-bbbb-cccc-000000000001"), List.of())));
    RecoveryStatus draining = status(RecoveryPhase.DRAINING, null, 1);
    NodeView fenced = node("node-1", Readiness.READY, T0, true, "team/" + ME);

    assertThat(decide(draining, known, fenced, List.of(theirs))).isInstanceOf(Decision.Act.class);
    assertThat(entered(decide(draining, unknown, fenced, List.of(theirs))))
        .isEqualTo(RecoveryPhase.FENCING);
  }

  static Stream<Arguments> faultyAgain() {
    NodeView free = node("node-1");
    NodeView fenced = node("node-1", Readiness.READY, T0, true, "team/" + ME);
    return Stream.of(
        argumentSet("released and faulty again", free, List.of(XID_79), true),
        argumentSet("still fenced", fenced, List.of(XID_79), false),
        argumentSet("released", free, List.of(), false));
  }

  @ParameterizedTest
  @MethodSource("faultyAgain")
  void shouldFenceAgainWhatIsFaultyAgain(NodeView node, List<FaultView> faults, boolean fences) {
    Decision decision = decide(status(RecoveryPhase.DRAINING, null, 2), gang(""), node, faults);

    if (fences) {
      assertThat(entered(decision)).isEqualTo(RecoveryPhase.FENCING);
    } else {
      assertThat(decision).isInstanceOf(Decision.Act.class);
    }
  }

  @Test
  void shouldHoldAGangForWhichThereIsNoRoomAndSayWhatIsMissing() {
    Decision decision = plan(RecoveryPhase.PLANNING, null, TOO_FEW, true);

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.HELD);
    assertThat(said(decision))
        .startsWith(
            "NoCapacity: needed: 3 pods with 8 GPUs; free: 23 GPUs on 3 nodes, at most 8 on one");
    assertThat(((Decision.Move) decision).notes())
        .singleElement()
        .satisfies(n -> assertThat(n.reason()).isEqualTo(Reason.RECOVERY_HELD));
  }

  @Test
  void shouldNotScanOnWhileThereIsNoRoom() {
    assertThat(plan(RecoveryPhase.HELD, RecoveryPhase.PLANNING, TOO_FEW, true))
        .isInstanceOfSatisfying(
            Decision.Act.class,
            act -> assertThat(act.effects()).containsExactly(new Effect.StopInspector()));
    assertThat(plan(RecoveryPhase.HELD, RecoveryPhase.PLANNING, TOO_FEW, false))
        .isInstanceOf(Decision.Wait.class);
  }

  @Test
  void shouldPlanAnewOnceThereIsRoom() {
    Decision decision = plan(RecoveryPhase.HELD, RecoveryPhase.PLANNING, Map.of(), false);

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.PLANNING);
    assertThat(plan(RecoveryPhase.PLANNING, null, Map.of(), false))
        .isInstanceOfSatisfying(
            Decision.Act.class,
            act -> assertThat(act.effects()).containsExactly(new Effect.StartInspector()));
  }

  @Test
  void shouldExcludeOnlyWhatIsStillFaulty() {
    RecoverySnapshot repaired = planning(RecoveryPhase.PLANNING, null, Map.of(), true, List.of());
    RecoverySnapshot faulty =
        planning(RecoveryPhase.PLANNING, null, Map.of(), true, List.of(XID_79));

    assertThat(excluded(repaired)).isEmpty();
    assertThat(excluded(faulty)).containsExactly("node-1");
  }

  @Test
  void shouldTakeARecoveryThatHasDoneNothingForAnsweredByOneThatEndedSince() {
    RecoveryView idle = Given.recovery("demo-r2", T0, status(RecoveryPhase.DETECTED, null, 1));
    RecoveryView ended = Given.recovery("demo-r1", T0.minusSeconds(9), ended(T0.plusSeconds(30)));
    RecoveryView endedBefore =
        Given.recovery("demo-r1", T0.minusSeconds(9), ended(T0.minusSeconds(1)));
    RecoveryView atWork = Given.recovery("demo-r2", T0, status(RecoveryPhase.DRAINING, null, 1));

    assertThat(RecoveryMachine.answeredBy(idle, List.of(idle, ended))).contains("demo-r1");
    assertThat(RecoveryMachine.answeredBy(idle, List.of(idle, endedBefore))).isEmpty();
    assertThat(RecoveryMachine.answeredBy(atWork, List.of(atWork, ended))).isEmpty();
  }

  private static RecoveryStatus ended(Instant at) {
    return new RecoveryStatus(
        RecoveryPhase.RECOVERED, at, 1, null, null, null, null, List.of(), List.of());
  }

  private static List<String> excluded(RecoverySnapshot s) {
    Decision decision = RecoveryMachine.decide(s, Policy.DEFAULT, NOW);
    assertThat(entered(decision)).isEqualTo(RecoveryPhase.RESUMING);
    return Objects.requireNonNull(((Decision.Move) decision).next().plan()).excludedNodes();
  }

  private static Decision plan(
      RecoveryPhase phase,
      @Nullable RecoveryPhase heldFrom,
      Map<String, Long> taken,
      boolean inspectorStarted) {
    return RecoveryMachine.decide(
        planning(phase, heldFrom, taken, inspectorStarted, List.of()), Policy.DEFAULT, NOW);
  }

  private static RecoverySnapshot planning(
      RecoveryPhase phase,
      @Nullable RecoveryPhase heldFrom,
      Map<String, Long> taken,
      boolean inspectorStarted,
      List<FaultView> faults) {
    return new RecoverySnapshot(
        Given.recovery(ME, T0, status(phase, heldFrom, 1)),
        job().suspended(ME, true).view(),
        List.of(),
        Given.nodes(),
        faults,
        List.of(),
        null,
        List.of(),
        taken,
        1,
        null,
        true,
        inspectorStarted,
        new Inspection.Report(2, List.of(), ""),
        List.of(),
        0L);
  }

  @Test
  void shouldNotResumeInTheNameOfAnotherRecovery() {
    Decision decision =
        decide(
            job().suspended("demo-r3", true),
            status(RecoveryPhase.PLANNING, null, 1, "Orphaned"),
            List.of(),
            0);

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.CANCELLED);
  }

  @Test
  void shouldForceNoPodOfAGangOfWhichNoneCouldBeDrained() {
    List<PodView> gang = gang("").stream().map(RecoveryMachineTest::terminating).toList();
    Map<String, NodeView> silent = new HashMap<>();
    Given.nodes().keySet().forEach(n -> silent.put(n, node(n, Readiness.SILENT, T0, false, "")));

    assertThat(forced(gang, silent)).as("none was seen to end").isEmpty();
    assertThat(forced(gang.subList(1, 3), silent)).as("one was seen to end").hasSize(2);
    assertThat(forced(gang, Map.of("node-3", node("node-3"))))
        .as("their nodes are gone")
        .hasSize(3);
  }

  private static List<Effect> forced(List<PodView> pods, Map<String, NodeView> nodes) {
    Cause cause =
        new Cause(
            "NodeSilent",
            "silent",
            List.of(),
            List.of(),
            List.of("node-0", "node-1", "node-2"),
            List.of(),
            42L);
    Plan plan = new Plan("Rebuild", "", List.of(), List.of(), Map.of(), null);
    RecoveryStatus status =
        new RecoveryStatus(
            RecoveryPhase.DRAINING, T0, 1, null, cause, plan, null, List.of(), List.of());
    RecoverySnapshot snapshot =
        snapshot(job().suspended(ME, true), status, pods, nodes, List.of(), List.of(), 0);
    return RecoveryMachine.decide(snapshot, Policy.DEFAULT, NOW) instanceof Decision.Act act
        ? act.effects().stream().filter(Effect.DeletePod.class::isInstance).toList()
        : List.of();
  }

  @Test
  void shouldSettleWithMoreFaultyNodesThanAnObjectCanName() {
    List<PodView> pods = new ArrayList<>();
    Map<String, NodeView> nodes = new HashMap<>();
    List<FaultView> faults = new ArrayList<>();
    PodView one = gang("").getFirst();
    for (int i = 0; i < 10_000; i++) {
      String name = "node-%05d.%s".formatted(i, "long-name-of-a-rack".repeat(4));
      String pod = "demo-worker-" + i;
      pods.add(one.with(b -> b.name(pod).uid(pod).node(name)));
      nodes.put(name, node(name));
      faults.add(fault(name, "XID-79", FenceGuidance.ALWAYS));
    }
    RecoverySnapshot s =
        snapshot(
            job().workers(9_999),
            status(RecoveryPhase.FENCING, null, 1),
            pods,
            nodes,
            faults,
            List.of(),
            0);
    int moves = 0;
    while (RecoveryMachine.decide(s, Policy.DEFAULT, NOW)
        instanceof Decision.Move(RecoveryStatus next, _)) {
      s = s.with(next);
      assertThat(++moves).isLessThan(5);
    }
    RecoveryStatus settled = RecoveryMachine.status(s);
    assertThat(settled.phase()).isEqualTo(RecoveryPhase.HELD);
    assertThat(settled.conditions())
        .allSatisfy(c -> assertThat(c.getMessage()).startsWith("BreakerOpen").hasSizeLessThan(500));
  }

  @Test
  void shouldNameTheFirstOfManyNodesAndCountTheRest() {
    assertThat(Names.of(List.of("a", "b"))).isEqualTo("a, b");
    assertThat(Names.of(IntStream.range(0, 700).mapToObj(i -> "node-" + i).toList()))
        .startsWith("node-0, node-1, ")
        .endsWith(" more")
        .hasSizeLessThan(430);
  }

  private static PodView terminating(PodView p) {
    return p.with(b -> b.deletionGraceSeconds(1L).deletionDeadline(NOW.minusSeconds(5)));
  }

  private static List<PodView> broken(int attempt) {
    List<PodView> gang = new ArrayList<>(gang(ME + "-" + attempt));
    gang.set(1, failed(gang.get(1), NOW, "exit code 1"));
    return gang;
  }

  private static RecoveryStatus status(
      RecoveryPhase phase, @Nullable RecoveryPhase heldFrom, int attempt) {
    return status(phase, heldFrom, attempt, "XID-79");
  }

  private static RecoveryStatus status(
      RecoveryPhase phase, @Nullable RecoveryPhase heldFrom, int attempt, String reason) {
    Cause cause =
        new Cause(
            reason,
            "GPU 0 of node node-1",
            List.of(),
            List.of("node-1"),
            List.of(),
            List.of(),
            42L);
    Plan plan = new Plan("Rebuild", "", List.of(), List.of(), Map.of(), null);
    return new RecoveryStatus(
        phase, T0, attempt, heldFrom, cause, plan, null, List.of(), List.of());
  }

  private static Decision decide(
      Given.Job job, RecoveryStatus status, List<PodView> pods, int restarts) {
    return RecoveryMachine.decide(
        snapshot(job, status, pods, List.of(), restarts), Policy.DEFAULT, NOW);
  }

  private static Decision decide(
      RecoveryStatus status, List<PodView> pods, NodeView node, List<FaultView> faults) {
    Map<String, NodeView> nodes = new HashMap<>(Given.nodes());
    nodes.put(node.name(), node);
    return RecoveryMachine.decide(
        snapshot(job(), status, pods, nodes, faults, List.of(), 0), Policy.DEFAULT, NOW);
  }

  private static RecoverySnapshot snapshot(
      Given.Job job,
      RecoveryStatus status,
      List<PodView> pods,
      List<RankView> ranks,
      int restarts) {
    return snapshot(job, status, pods, Given.nodes(), List.of(), ranks, restarts);
  }

  private static RecoverySnapshot snapshot(
      Given.Job job,
      RecoveryStatus status,
      List<PodView> pods,
      Map<String, NodeView> nodes,
      List<FaultView> faults,
      List<RankView> ranks,
      int restarts) {
    return new RecoverySnapshot(
        Given.recovery(ME, T0, status),
        job.view(),
        pods,
        nodes,
        faults,
        ranks,
        null,
        List.of(),
        Map.of(),
        restarts,
        null,
        false,
        true,
        new Inspection.Pending("scans"),
        List.of(),
        null);
  }

  private static @Nullable RecoveryPhase entered(Decision decision) {
    assertThat(decision).isInstanceOf(Decision.Move.class);
    return ((Decision.Move) decision).next().phase();
  }

  private static String said(Decision decision) {
    return ((Decision.Move) decision).next().timeline().getLast().detail();
  }
}
