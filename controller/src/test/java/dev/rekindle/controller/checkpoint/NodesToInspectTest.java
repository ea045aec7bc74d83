package dev.rekindle.controller.checkpoint;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.List;
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
    return NodesToInspect.of("/ckpt", gang, name -> view(name, state), unfit);
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
            none -> assertThat(none.reason()).contains("can be looked at: node-1;"));
    assertThat(chosen("ready", List.of(), List.of()))
        .isInstanceOfSatisfying(
            NodesToInspect.None.class,
            none -> assertThat(none.reason()).contains("not known on which nodes"));
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
}
