package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Decisions.detail;
import static dev.rekindle.controller.recovery.Decisions.entered;
import static dev.rekindle.controller.recovery.Decisions.way;
import static dev.rekindle.controller.recovery.InPlacePods.at;
import static dev.rekindle.controller.recovery.StalledInPlaceTest.finding;
import static dev.rekindle.controller.recovery.StalledInPlaceTest.scene;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Evidence;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartWay;
import dev.rekindle.api.StallFinding;
import dev.rekindle.api.StallFinding.NamedRank;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.detect.node.NodeOwner;
import dev.rekindle.detect.node.NodeSigns;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which nodes a stalled gang avoids, and when that is worth a rebuild. */
class AvoidanceTest {
  private static StallFinding named(String stallClass, String... nodes) {
    return new StallFinding(
        stallClass,
        "high",
        List.of(nodes).stream().map(n -> new NamedRank(1, "demo-worker-0", n, "waits")).toList(),
        List.of(),
        3);
  }

  private static Decision decide(RecoverySnapshot s) {
    return RecoveryMachine.decide(s, Policy.DEFAULT, InPlaceScene.NOW);
  }

  @Test
  void shouldRestartInPlaceTheFirstTime() {
    assertThat(entered(decide(scene().snapshot()))).isEqualTo(RecoveryPhase.PLANNING);
  }

  @Test
  void shouldRebuildTheGangThatWaitsForTheSameNodeAgain() {
    RecoverySnapshot s = scene().snapshot().withStallsBefore(List.of(named("host", "node-1")));
    Decision decision = decide(s);
    assertThat(entered(decision)).isEqualTo(RecoveryPhase.DRAINING);
    assertThat(way(decision)).isEqualTo(RestartWay.REBUILD);
    assertThat(detail(decision)).contains("another stall waited for a rank on node node-1");
    assertThat(finding(decision).culprits()).extracting(NamedRank::node).containsExactly("node-1");
    assertThat(((Decision.Move) decision).notes())
        .extracting(Decision.Note::reason)
        .containsExactly(Reason.FALLBACK_TO_REBUILD, Reason.CULPRIT_NAMED);
  }

  @ParameterizedTest
  @CsvSource({"host, node-2", "program, node-1", "network, node-1", "unknown, node-1"})
  void shouldStayInPlaceWhereTheNodeHasNothingToDoWithIt(String stallClass, String node) {
    RecoverySnapshot s = scene().snapshot().withStallsBefore(List.of(named(stallClass, node)));
    assertThat(entered(decide(s))).isEqualTo(RecoveryPhase.PLANNING);
  }

  /** A rebuild that lands on the same nodes costs more than a restart in place, and helps less. */
  @Test
  void shouldStayInPlaceWhereThereIsNoOtherRoom() {
    Map<String, NodeView> few = new HashMap<>(Given.nodes());
    few.keySet().retainAll(List.of("node-0", "node-1", "node-2"));
    RecoverySnapshot s =
        scene().snapshot().with(b -> b.nodes(few).stallsBefore(List.of(named("host", "node-1"))));
    assertThat(entered(decide(s))).isEqualTo(RecoveryPhase.PLANNING);
  }

  /** No new pod is sent to a node that somebody works on: the gang would wait for that person. */
  @Test
  void shouldStayInPlaceWhereTheOtherRoomIsUnderOthersHands() {
    NodeOwner owner = new NodeOwner("NVSentinel", "label l", false);
    Map<String, NodeView> nodes = new HashMap<>(Given.nodes());
    nodes.replaceAll(
        (name, node) ->
            List.of("node-0", "node-1", "node-2").contains(name)
                ? node
                : node.withSigns(new NodeSigns(List.of(), List.of(), List.of(), owner)));
    RecoverySnapshot s =
        scene().snapshot().with(b -> b.nodes(nodes).stallsBefore(List.of(named("host", "node-1"))));

    assertThat(entered(decide(s))).isEqualTo(RecoveryPhase.PLANNING);
  }

  @Test
  void shouldKeepWhatIsKnownWhereARestartInPlaceIsGivenUp() {
    Decision decision = decide(scene().problem(0, "cgroup v1").snapshot());
    assertThat(way(decision)).isEqualTo(RestartWay.REBUILD);
    assertThat(finding(decision).culprits()).extracting(NamedRank::node).contains("node-1");
  }

  /** Its node may have died, or its agent may be slow: that it says nothing names no rank. */
  @Test
  void shouldHoldNothingAgainstRanksThatAreNotReportedYet() {
    InPlaceScene scene =
        new InPlaceScene()
            .stalled()
            .ordered(RestartInstruction.FREEZE)
            .collects()
            .found(0, at(0, 0, 9))
            .found(2, at(2, 2, 9))
            .problemOf("node-1", "cgroup v1");
    Decision decision = decide(scene.snapshot());
    assertThat(way(decision)).isEqualTo(RestartWay.REBUILD);
    assertThat(finding(decision).culprits()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"host", "device-or-link"})
  void shouldPreferOtherNodesInARebuild(String stallClass) {
    RecoverySnapshot s = planning(named(stallClass, "node-1"));
    assertThat(planned(decide(s)).avoidedNodes()).containsExactly("node-1", "node-3");
    assertThat(planned(decide(s)).excludedNodes()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"program", "network", "unknown"})
  void shouldAvoidNoNodeForWhatIsNotItsFault(String stallClass) {
    assertThat(planned(decide(planning(named(stallClass, "node-1")))).avoidedNodes())
        .containsExactly("node-3");
  }

  /** By exit code 17 the first process to end says that its own result differed. */
  @ParameterizedTest
  @CsvSource({"ResultRejected, node-1", "RerunAsked, ''", "PodFailed, ''"})
  void shouldAvoidTheNodeWhoseResultWasRejected(String reason, String avoided) {
    RecoverySnapshot s = planning(named("unknown", "node-3"));
    RecoveryStatus status = Transitions.status(s);
    Cause cause =
        Transitions.cause(s)
            .with(
                b ->
                    b.reason(reason)
                        .faultyNodes(List.of())
                        .stall(null)
                        .evidence(
                            List.of(
                                new Evidence("node-1", "demo-worker-0", "exit code 17"),
                                new Evidence("node-2", "demo-worker-1", "exit code 1"))));
    Plan plan = planned(decide(s.with(status.withCause(cause)).withStallsBefore(List.of())));
    assertThat(plan.avoidedNodes())
        .containsExactlyElementsOf(avoided.isEmpty() ? List.of() : List.of(avoided));
    assertThat(plan.excludedNodes()).as("nothing is fenced").isEmpty();
  }

  @Test
  void shouldGiveTheJobItsHostNames() {
    NodeView node = Given.node("node-1").withHostname("ip-10-0-0-1");
    RecoverySnapshot s = planning(named("host", "node-1"));
    RecoveryStatus planned = ((Decision.Move) decide(s)).next();
    RecoverySnapshot resuming = s.with(planned);
    Map<String, NodeView> nodes = new HashMap<>(s.nodes());
    nodes.put("node-1", node);
    Decision decision = decide(resuming.withNodes(nodes));
    Effect.Resume resume =
        ((Decision.Act) decision)
            .effects().stream()
                .filter(Effect.Resume.class::isInstance)
                .map(Effect.Resume.class::cast)
                .findFirst()
                .orElseThrow();
    assertThat(resume.order().avoidedHostnames()).containsExactly("ip-10-0-0-1", "node-3.host");
    assertThat(resume.order().excludedHostnames()).isEmpty();
  }

  private static Plan planned(Decision decision) {
    return Objects.requireNonNull(((Decision.Move) decision).next().plan());
  }

  /** Drained and scanned; an earlier stall has named node-3. */
  private static RecoverySnapshot planning(StallFinding stall) {
    RecoverySnapshot s =
        new InPlaceScene()
            .stalled()
            .rebuilt()
            .phase(RecoveryPhase.PLANNING, InPlaceScene.NOW.minusSeconds(20))
            .job(Given.job().suspended(InPlaceScene.ME, true))
            .pods(List.of())
            .scanned()
            .snapshot();
    RecoveryStatus status = Transitions.status(s);
    return s.with(status.withCause(Transitions.cause(s).withStall(stall)))
        .withStallsBefore(List.of(named("host", "node-3")))
        .withInspection(new Inspection.Unable("no such directory"));
  }

  @Test
  void shouldNameFaultsOfTheNodeBesideIt() {
    Decision decision =
        decide(
            scene()
                .faulty(
                    Given.fault("node-1", "NIC-LINK-FLAP", FenceGuidance.THRESHOLD),
                    Given.fault("node-2", "XID-13", FenceGuidance.THRESHOLD))
                .snapshot());
    assertThat(finding(decision).evidence())
        .anyMatch(line -> line.contains("NodeFault NIC-LINK-FLAP"))
        .noneMatch(line -> line.contains("XID-13"));
  }
}
