package dev.rekindle.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RestartWay;
import dev.rekindle.api.StallFinding;
import dev.rekindle.api.StallFinding.NamedRank;
import dev.rekindle.controller.model.NamedStalls;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RestartMode;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Ranks on node-1 hang again and again; node-3 is to spare. */
class SimulatedStallsTest {
  /** The kubelets have forgotten the restart in place, and would start containers at once. */
  private static final Duration LONG_ENOUGH = Duration.ofMinutes(12);

  private SimulatedJob run = new SimulatedJob(Given.job(), Policy.DEFAULT);

  @BeforeEach
  void train() {
    run.until(() -> run.step() > 25);
  }

  @AfterEach
  void close() {
    run.close();
  }

  private int rankOn(String node) {
    return run.pods().stream()
        .filter(p -> p.node().equals(node))
        .mapToInt(PodView::rank)
        .findFirst()
        .orElseThrow();
  }

  private RecoveryStatus hang(int times) {
    run.levers().rankHangs(Given.KEY, rankOn("node-1"));
    run.untilOver(times);
    return run.newest();
  }

  private static Plan plan(RecoveryStatus status) {
    return Objects.requireNonNull(status.plan());
  }

  @Test
  void shouldMoveOffTheNodeThatASecondStallNames() {
    RecoveryStatus first = hang(1);
    assertThat(plan(first).restart()).isEqualTo(RestartWay.IN_PLACE);
    assertThat(stall(first).culprits()).extracting(NamedRank::node).containsExactly("node-1");
    assertThat(run.pods()).extracting(PodView::node).contains("node-1");

    run.runFor(LONG_ENOUGH);
    RecoveryStatus second = hang(2);

    assertThat(second.timeline().toString())
        .contains("another stall waited for a rank on node node-1");
    movedOff(second);
    assertThat(NamedStalls.parse(run.node("node-1").stalls()).entries())
        .hasSize(2)
        .noneMatch(NamedStalls.Entry::elsewhere);
  }

  /** Its host waits with all others; what it has completed shows it, and nothing else does. */
  @Test
  void shouldNameADeviceThatStallsAndFenceNoNode() {
    int rank = rankOn("node-1");
    run.levers().deviceStalls(Given.KEY, rank);
    run.untilOver(1);

    StallFinding found = stall(run.newest());
    assertThat(found.stallClass()).isEqualTo("device-or-link");
    assertThat(found.culprits()).extracting(NamedRank::rank).containsExactly(rank);
    assertThat(run.nodes()).as("no hardware says so").noneMatch(NodeView::unschedulable);
  }

  /** What a stall has named counts in the next attempt, whatever that is made for. */
  @Test
  void shouldMoveOffItInAnyRebuildThatFollows() {
    hang(1);
    long then = run.step();
    run.until(() -> run.step() > then + 25);

    RecoveryStatus second = hang(2);

    assertThat(plan(second).restartReason()).contains("containers ended lately");
    movedOff(second);
  }

  /** Agents inspect the ranks of a gang that is to be rebuilt, and freeze none of it. */
  @Test
  void shouldNameTheRankOfAJobThatRequestsARebuild() {
    run.close();
    run = new SimulatedJob(Given.job().way(RestartMode.REBUILD), Policy.DEFAULT);
    train();

    RecoveryStatus only = hang(1);

    assertThat(stall(only).culprits()).extracting(NamedRank::node).containsExactly("node-1");
    assertThat(run.deeds())
        .filteredOn(deed -> deed.startsWith("order"))
        .containsExactly("order demo-r1-1 LOOK");
    movedOff(only);
  }

  private void movedOff(RecoveryStatus status) {
    assertThat(status.phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(plan(status).restart()).isEqualTo(RestartWay.REBUILD);
    assertThat(plan(status).avoidedNodes()).containsExactly("node-1");
    assertThat(run.pods()).hasSize(3).noneMatch(p -> p.node().equals("node-1"));
    assertThat(run.nodes()).noneMatch(NodeView::unschedulable).noneMatch(NodeView::lemon);
  }

  private static StallFinding stall(RecoveryStatus status) {
    return Objects.requireNonNull(Objects.requireNonNull(status.cause()).stall());
  }
}
