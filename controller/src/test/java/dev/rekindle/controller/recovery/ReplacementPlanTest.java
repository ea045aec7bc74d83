package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.node;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.PlacementPlan;
import dev.rekindle.api.PlacementPlan.Replacement;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.api.RestartWay;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.GangScheduling;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.WorkloadView;
import dev.rekindle.controller.port.ClusterGateway.RefusedException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplacementPlanTest {
  private static InPlaceScene frozen() {
    return new InPlaceScene()
        .ordered(RestartInstruction.FREEZE)
        .reported(0, RestartInstruction.FREEZE, State.FROZEN)
        .reported(1, RestartInstruction.FREEZE, State.FROZEN)
        .reported(2, RestartInstruction.FREEZE, State.FROZEN);
  }

  private static Plan planOf(Decision decision) {
    return Objects.requireNonNull(((Decision.Move) decision).next().plan());
  }

  private static PlacementPlan placement(Decision decision) {
    return Objects.requireNonNull(planOf(decision).placement());
  }

  @Test
  void shouldPlanTheNodeOfTheReplacementWhenTheWayIsChosen() {
    Decision decision = new InPlaceScene().notChosen().planned(null).decide();

    assertThat(placement(decision).replacements())
        .containsExactly(new Replacement("demo-worker-0", "node-1", "node-3", 0));
    assertThat(((Decision.Move) decision).notes())
        .singleElement()
        .satisfies(
            note -> {
              assertThat(note.reason()).isEqualTo(Reason.PLACEMENT_PLANNED);
              assertThat(note.text())
                  .contains("demo-worker-0 from node-1 to node-3", "no label says");
            });
  }

  @Test
  void shouldPreferANodeOfTheSameLeafGroup() {
    InPlaceScene scene =
        new InPlaceScene()
            .notChosen()
            .planned(null)
            .node(labelled("node-0", "a"))
            .node(node("node-1", Readiness.READY, T0, true, "team/r").withLabels(leaf("a")))
            .node(labelled("node-2", "a"))
            .node(labelled("node-3", "b"))
            .node(labelled("node-4", "a"))
            .node(labelled("node-5", "a").withUnschedulable(true));

    PlacementPlan plan = placement(scene.decide());

    assertThat(plan.levels()).containsExactly("fabric.topograph.run/tier-0");
    assertThat(plan.nodes()).containsExactly("node-4");
    assertThat(plan.mostHops()).isZero();
    assertThat(plan.refused()).containsExactly(new PlacementPlan.Refusal("node-5", "cordoned"));
  }

  private static Map<String, String> leaf(String value) {
    return Map.of("fabric.topograph.run/tier-0", value);
  }

  private static NodeView labelled(String name, String leaf) {
    return node(name).withLabels(leaf(leaf));
  }

  @Test
  void shouldRebuildAGangWhoseReplacementHasNoPlace() {
    Decision decision =
        new InPlaceScene()
            .notChosen()
            .planned(null)
            .node(node("node-3", Readiness.READY, T0, true, ""))
            .stepped(NOW.minusSeconds(3_600))
            .decide();

    assertThat(Decisions.way(decision)).isEqualTo(RestartWay.REBUILD);
    assertThat(Decisions.detail(decision)).contains("1 cordoned");
  }

  @Test
  void shouldWriteThePreferenceWithTheOrder() {
    Decision.Act act = (Decision.Act) new InPlaceScene().written().decide();

    assertThat(act.effects()).contains(new Effect.PlanNodes(List.of("node-3.host")));
  }

  @Test
  void shouldDeleteNoPodBeforeThePreferenceIsWritten() {
    Decision.Act act = (Decision.Act) frozen().written().decide();

    assertThat(act.effects()).containsExactly(new Effect.PlanNodes(List.of("node-3.host")));
    assertThat(act.then()).singleElement().isInstanceOf(Effect.DeletePod.class);
  }

  @Test
  void shouldContinueWithoutAPreferenceThatIsRefused() {
    EffectFailure refused =
        EffectFailure.of(
            CallKind.PLAN_NODES, "job", new RefusedException(403, "no"), null, NOW.minusSeconds(1));

    Decision.Act act = (Decision.Act) frozen().written().failed(refused).decide();

    assertThat(act.effects()).singleElement().isInstanceOf(Effect.DeletePod.class);
  }

  @ParameterizedTest
  @CsvSource({"READY, true", "NOT_READY, false", "SILENT, false"})
  void shouldPlanAgainWhenThePlannedNodeTakesPodsNoMore(Readiness readiness, boolean cordoned) {
    Decision decision =
        frozen().node(node("node-3", readiness, T0, cordoned, "")).node(node("node-4")).decide();

    assertThat(placement(decision).nodes()).containsExactly("node-4");
  }

  /** As where the breaker is open: it is not fenced. */
  @Test
  void shouldPlanAgainWhenThePlannedNodeIsFaulty() {
    RecoverySnapshot s =
        frozen()
            .node(node("node-4"))
            .faulty(
                fault("node-1", "XID-79", FenceGuidance.ALWAYS),
                fault("node-3", "XID-79", FenceGuidance.ALWAYS))
            .snapshot();
    Cause cause = Transitions.cause(s).withFaultyNodes(List.of("node-1"));
    RecoverySnapshot blamesOne = s.with(Transitions.status(s).withCause(cause));

    Decision decision = RecoveryMachine.decide(blamesOne, Policy.DEFAULT, NOW);

    assertThat(placement(decision).nodes()).containsExactly("node-4");
  }

  /** By a preference that cannot be written any more, say (seed 67088). */
  @Test
  void shouldNotDeleteAgainAndAgainAReplacementThatComesToAFaultyNode() {
    InPlaceScene scene = frozen().pods(cameBack());

    assertThat(scene.decide(NOW)).isInstanceOf(Decision.Wait.class);
    assertThat(scene.decide(NOW.plusMillis(9_999))).isInstanceOf(Decision.Wait.class);
    assertThat(scene.decide(NOW.plusSeconds(10))).isInstanceOf(Decision.Act.class);
  }

  @Test
  void shouldRebuildOnceReplacementsHaveComeToFaultyNodesForTooLong() {
    Decision decision = frozen().pods(cameBack()).decide(NOW.plusSeconds(600));

    assertThat(Decisions.way(decision)).isEqualTo(RestartWay.REBUILD);
    assertThat(Decisions.detail(decision)).contains("demo-worker-0 came to node node-1");
  }

  @Test
  void shouldDeleteNoReplacementOfAJobThatHasOptedOut() {
    Decision decision =
        frozen()
            .pods(cameBack())
            .job(Given.job().optIn(new OptIn.Yes(Mode.OBSERVE)))
            .decide(NOW.plusSeconds(10));

    assertThat(Decisions.way(decision)).isEqualTo(RestartWay.REBUILD);
  }

  private static List<PodView> cameBack() {
    return gang("").stream()
        .map(p -> p.name().equals("demo-worker-0") ? p.with(b -> b.uid("new").created(NOW)) : p)
        .toList();
  }

  /** The scheduler has put it on the planned node, or on another one. */
  @ParameterizedTest
  @CsvSource({"node-3, 2", "node-5, 1"})
  void shouldKeepInThePlanWhatIsReplacedWhenAnotherNodeIsLost(String at, int moves) {
    List<PodView> pods =
        gang("").stream()
            .map(
                p ->
                    p.name().equals("demo-worker-0")
                        ? p.with(b -> b.node(at).uid("new").created(NOW))
                        : p)
            .toList();
    Decision decision =
        frozen()
            .pods(pods)
            .node(node("node-2", Readiness.READY, T0, true, "team/r"))
            .node(node("node-4"))
            .node(node("node-5"))
            .faulty(
                fault("node-1", "XID-79", FenceGuidance.ALWAYS),
                fault("node-2", "XID-79", FenceGuidance.ALWAYS))
            .decide();

    List<Replacement> replacements = placement(decision).replacements();
    assertThat(replacements).hasSize(moves);
    assertThat(replacements.getLast().pod()).isEqualTo("demo-worker-1");
    if (moves > 1) {
      assertThat(replacements)
          .containsExactly(
              new Replacement("demo-worker-0", "node-1", "node-3", 0),
              new Replacement("demo-worker-1", "node-2", "node-4", 0));
    }
  }

  /** Else a pod that has no place in the list would be planned for again and again. */
  @ParameterizedTest
  @CsvSource({"24, 64", "25, 40"})
  void shouldCutOffNoPodThatIsPlannedForTheMoreThatAreReplaced(int made, int moves) {
    List<PodView> pods =
        IntStream.range(0, made + 40)
            .mapToObj(i -> gang("").get(1).with(b -> b.name("w-" + i).index(i).node("to-" + i)))
            .toList();
    PlacementPlan former = plan(0, made);
    PlacementPlan next = plan(made, made + 40);
    RecoverySnapshot s = frozen().pods(pods).snapshot();
    RecoveryStatus status = Transitions.status(s);
    Plan placed = Objects.requireNonNull(status.plan()).withPlacement(former);

    PlacementPlan together = ReplacementPlan.withMade(s.with(status.withPlan(placed)), next);

    assertThat(together.replacements()).hasSize(moves).containsAll(next.replacements());
  }

  private static PlacementPlan plan(int from, int to) {
    List<Replacement> moves =
        IntStream.range(from, to)
            .mapToObj(i -> new Replacement("w-" + i, "from-" + i, "to-" + i, 0))
            .toList();
    return new PlacementPlan(List.of(), moves, 0, 0, 1, List.of(), 0);
  }

  @Test
  void shouldDeleteNoPodOfAFrozenGangThatHasNoPlaceLeft() {
    Decision decision = frozen().node(node("node-3", Readiness.READY, T0, true, "")).decide();

    assertThat(Decisions.way(decision)).isEqualTo(RestartWay.REBUILD);
    assertThat(Decisions.entered(decision)).isEqualTo(RecoveryPhase.DRAINING);
    assertThat(planOf(decision).placement()).as("all pods are created again").isNull();
  }

  /** Its fault is gone before its pod is: the pod stays. */
  @Test
  void shouldNotSayThatAPodMovesWhichHasStayed() {
    Decision decision = frozen().faulty().decide();

    assertThat(Decisions.entered(decision)).isEqualTo(RecoveryPhase.PLANNING);
    assertThat(Decisions.restartReason(decision)).isEqualTo("3 of 3 pods stay where they are");
    assertThat(planOf(decision).placement()).isNull();
  }

  /** All pods were to stay when the way was chosen; the node was lost while the gang was frozen. */
  @Test
  void shouldRebuildAGangWhoseNodesKueueAssignsOnceItLosesOne() {
    RecoverySnapshot s = frozen().planned(null).snapshot();
    WorkloadView assigns = Given.workload().withTopologyAware(true);
    RecoverySnapshot queued =
        s.withJob(Objects.requireNonNull(s.job()).withGang(new GangScheduling.Kueue("q", assigns)));

    Decision decision = RecoveryMachine.decide(queued, Policy.DEFAULT, NOW);

    assertThat(Decisions.way(decision)).isEqualTo(RestartWay.REBUILD);
    assertThat(Decisions.detail(decision)).contains("Kueue has assigned the nodes");
  }
}
