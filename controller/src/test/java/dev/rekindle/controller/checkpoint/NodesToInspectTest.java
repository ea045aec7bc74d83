package dev.rekindle.controller.checkpoint;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.RecoveryView;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** On which nodes of a gang its checkpoints are scanned. */
class NodesToInspectTest {
  /** {@code node-1} is in the state that is given, and all others are Ready. */
  private static Optional<NodeView> view(String name, String state) {
    if (!name.equals("node-1")) {
      return Optional.of(node(name));
    }
    return switch (state) {
      case "ready" -> Optional.of(node(name));
      case "silent" -> Optional.of(node(name, Readiness.SILENT, T0, false, ""));
      case "not ready" -> Optional.of(node(name, Readiness.NOT_READY, T0, false, ""));
      case "fenced" -> Optional.of(node(name, Readiness.READY, T0, true, "team/x-r1"));
      case "cordoned" -> Optional.of(node(name, Readiness.READY, T0, true, ""));
      case "gone" -> Optional.empty();
      default -> throw new IllegalArgumentException(state);
    };
  }

  private static NodesToInspect chosen(String state, List<String> gang, List<String> unfit) {
    return chosen(state, gang, unfit, List.of());
  }

  private static NodesToInspect chosen(
      String state, List<String> gang, List<String> unfit, List<NodeView> others) {
    return NodesToInspect.of("/ckpt", gang, name -> view(name, state), unfit, others);
  }

  @ParameterizedTest
  @CsvSource({
    "ready, '', false",
    "silent, '', true",
    "not ready, '', true",
    "fenced, '', true",
    "cordoned, '', true",
    "gone, '', true",
    "ready, node-1, true",
    "ready, node-9, false",
  })
  void shouldLeaveOutNodesThatTakeNoPod(String state, String unfit, boolean away) {
    assertThat(chosen(state, List.of("node-2", "node-1"), List.of(unfit)))
        .isInstanceOfSatisfying(
            NodesToInspect.Some.class,
            some -> {
              assertThat(some.away()).isEqualTo(away ? List.of("node-1") : List.of());
              assertThat(some.nodes())
                  .isEqualTo(away ? List.of("node-2") : List.of("node-1", "node-2"));
              assertThat(some.hostnames()).hasSameSizeAs(some.nodes());
            });
  }

  @Test
  void shouldScanNoNodeWhereAllAreAwayOrNoneIsKnown() {
    assertThat(chosen("silent", List.of("node-1"), List.of()))
        .isInstanceOfSatisfying(
            NodesToInspect.None.class,
            none -> assertThat(none.reason()).contains("can be inspected: node-1;"));
    assertThat(chosen("ready", List.of(), List.of()))
        .isInstanceOfSatisfying(
            NodesToInspect.None.class,
            none -> assertThat(none.reason()).contains("not known on which nodes"));
  }

  /** What a node that had no part in the gang has of it, all nodes share. */
  @Test
  void shouldScanOneNodeThatTheGangMayGoToWhereAllOfItsOwnAreAway() {
    List<NodeView> others =
        List.of(
            node("node-1", Readiness.SILENT, T0, false, ""),
            node("node-4"),
            node("node-3"),
            node("node-2"));

    assertThat(chosen("silent", List.of("node-1"), List.of("node-2"), others))
        .isEqualTo(
            new NodesToInspect.Some(
                List.of("node-3"), List.of(node("node-3").hostname()), List.of("node-1")));
    assertThat(chosen("silent", List.of("node-1", "node-9"), List.of(), others))
        .as("one of its own is there")
        .isInstanceOfSatisfying(
            NodesToInspect.Some.class, some -> assertThat(some.nodes()).containsExactly("node-9"));
  }

  @Test
  void shouldScanAsManyNodesAsItMayAndNoneWhereThereAreMore() {
    assertThat(chosen("ready", gang(NodesToInspect.MOST), List.of()))
        .isInstanceOf(NodesToInspect.Some.class);
    assertThat(chosen("ready", gang(NodesToInspect.MOST + 1), List.of()))
        .isInstanceOfSatisfying(
            NodesToInspect.None.class,
            none -> assertThat(none.reason()).contains("the job was on 33 nodes; at most 32"));
  }

  private static List<String> gang(int nodes) {
    return IntStream.range(10, 10 + nodes).mapToObj(i -> "node-" + i).toList();
  }

  /** A rank that has failed may have no pod any more. */
  @Test
  void shouldKnowTheNodesThatTheRecoveryHasWrittenDown() {
    RecoveryStatus status =
        new KubernetesSerialization()
            .unmarshal(
                """
                phase: Planning
                cause: {reason: NodeFault, faultyNodes: [c, a], silentNodes: [d]}
                plan: {keptNodes: [b, a]}
                """,
                RecoveryStatus.class);

    assertThat(NodesToInspect.writtenDown(status)).containsExactly("a", "b", "c", "d");
  }

  private static RecoveryView recovery(int number, String phase, String cause, String... kept) {
    RecoveryStatus status =
        new KubernetesSerialization()
            .unmarshal(
                """
                phase: %s
                attempt: 1
                cause: {%s}
                plan: {keptNodes: [%s]}
                """
                    .formatted(phase, cause, String.join(", ", kept)),
                RecoveryStatus.class);
    return Given.recovery("demo-r" + number, T0, status);
  }

  private static NavigableSet<String> nodes(List<String> pods, RecoveryView... oldestFirst) {
    List<RecoveryView> all = new ArrayList<>(List.of(oldestFirst));
    RecoveryView newest = all.getLast();
    Collections.reverse(all);
    return NodesToInspect.ofGang(pods, newest, all);
  }

  /** The gang that the last recovery started was never whole (seed 92314050). */
  @Test
  void shouldLookWhereTheGangWasThatTrainedLast() {
    RecoveryView trained = recovery(1, "Failed", "reason: XID-79, lastStep: 130", "a", "b");
    RecoveryView unplaced = recovery(2, "Planning", "reason: Unplaced", "d");

    assertThat(nodes(List.of("d"), trained, unplaced)).containsExactly("a", "b");
    assertThat(nodes(List.of("d"), unplaced)).as("nothing else is known").containsExactly("d");
    RecoveryView again = recovery(3, "Planning", "reason: Unplaced", "e");
    RecoveryView failed = recovery(2, "Failed", "reason: Unplaced", "d");
    assertThat(nodes(List.of(), trained, failed, again)).containsExactly("a", "b", "d");
  }

  /** It may have saved on its nodes before anybody saw a step of it. */
  @Test
  void shouldLookOnTheNodesOfBothWhereTheLastGangMayHaveRun() {
    RecoveryView trained = recovery(1, "Failed", "reason: XID-79, lastStep: 130", "a", "b");
    RecoveryView broken = recovery(2, "Planning", "reason: PodFailed", "d");

    assertThat(nodes(List.of("e"), trained, broken)).containsExactly("a", "b", "d", "e");
    RecoveryView second =
        recovery(2, "Planning", "reason: Unplaced", "d")
            .with(
                Objects.requireNonNull(recovery(2, "Planning", "reason: Unplaced", "d").status())
                    .withAttempt(2));
    assertThat(nodes(List.of("e"), trained, second))
        .as("its first attempt may have run")
        .containsExactly("a", "b", "d", "e");
  }

  @Test
  void shouldNotLookWhereTheGangWasBeforeItTrainedAgain() {
    RecoveryView first = recovery(1, "Failed", "reason: XID-79, lastStep: 130", "a", "b");
    RecoveryView stepped = recovery(2, "Planning", "reason: XID-79, lastStep: 140", "b", "c");
    RecoveryView over = recovery(1, "Recovered", "reason: XID-79, lastStep: 130", "a", "b");
    RecoveryView unseen = recovery(2, "Planning", "reason: PodFailed", "b", "c");

    assertThat(nodes(List.of("c"), first, stepped)).containsExactly("b", "c");
    assertThat(nodes(List.of("c"), over, unseen)).containsExactly("b", "c");
  }

  @Test
  void shouldNotLookWhereAnotherJobOfTheNameWas() {
    RecoveryView former = recovery(1, "Failed", "reason: XID-79, lastStep: 130", "a", "b");
    RecoveryView other =
        new RecoveryView(
            former.namespace(),
            former.name(),
            former.uid(),
            "1",
            new RecoverySpec(JobRef.pyTorchJob("demo", "another"), T0, null),
            former.status());
    RecoveryView unplaced = recovery(2, "Planning", "reason: Unplaced", "d");

    assertThat(nodes(List.of("d"), other, unplaced)).containsExactly("d");
  }
}
