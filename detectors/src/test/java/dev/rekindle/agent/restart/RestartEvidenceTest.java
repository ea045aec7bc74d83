package dev.rekindle.agent.restart;

import static dev.rekindle.api.RestartInstruction.FREEZE;
import static dev.rekindle.api.RestartInstruction.LOOK;
import static dev.rekindle.api.RestartInstruction.RESTART_ALL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.EvidencePart;
import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.DumpState;
import dev.rekindle.api.RankEvidence.Group;
import dev.rekindle.api.RankEvidence.Operation;
import dev.rekindle.api.RankEvidence.ProcessState;
import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.detect.restart.GangWitnesses;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the ranks are doing is recorded before they are frozen. */
class RestartEvidenceTest extends RestartFixture {
  private final Witnesses witnesses = new Witnesses();

  private static final class Witnesses implements GangWitnesses {
    final Map<String, List<RankEvidence>> found = new HashMap<>();
    int asked;
    Set<String> orders = Set.of();

    @Override
    public Optional<List<RankEvidence>> of(String orderUid, TrainingPod pod) {
      asked++;
      return Optional.ofNullable(found.get(pod.name()));
    }

    @Override
    public List<RankEvidence> found(String orderUid, TrainingPod pod) {
      return found.getOrDefault(pod.name(), List.of());
    }

    @Override
    public void retain(Set<String> orderUids) {
      orders = orderUids;
    }
  }

  private static RankEvidence rank(String pod, int rank, int operations) {
    var all = Collections.nCopies(operations, new Operation(1, "all_reduce", "[1]", false, true));
    return new RankEvidence(
        pod,
        pod + "-uid",
        rank,
        2,
        ProcessState.RUNNING,
        DumpState.READ,
        List.of(new Group("0", "default_pg", "0-1", 9, 8, false, all)));
  }

  @BeforeEach
  void witnesses() {
    gang.witnesses = witnesses;
    gang.restartAgent();
  }

  private void inspectedAndFrozen() {
    witnesses.found.put("master", List.of(rank("master", 0, 2)));
    witnesses.found.put("worker", List.of(rank("worker", 1, 2)));
    gang.sayCollect();
    gang.round();
    assertThat(report().done()).isEqualTo(FREEZE);
    assertThat(report().ranks()).hasSize(2);
  }

  @Test
  void shouldFreezeAPodOnceItsRanksWereInspected() {
    gang.sayCollect();
    gang.rounds(3);
    assertThat(gang.node.calls).isEmpty();
    assertThat(gang.notes).as("nothing is begun").doesNotExist();
    witnesses.found.put("worker", List.of(rank("worker", 1, 2)));
    gang.round();
    assertThat(gang.node.calls).containsExactly("freeze w1");
    assertThat(gang.report()).isNull();
    witnesses.found.put("master", List.of(rank("master", 0, 2)));
    gang.round();
    assertThat(report().done()).isEqualTo(FREEZE);
    assertThat(report().ranks()).extracting(RankEvidence::rank).containsExactlyInAnyOrder(0, 1);
    assertThat(gang.writes()).isEqualTo(1);
  }

  /** A gang that is to be rebuilt is never frozen, and ends as its pods are deleted. */
  @Test
  void shouldOnlyInspectWhereTheOrderSaysNoMore() {
    gang.sayCollect(LOOK, "");
    gang.rounds(2);
    assertThat(gang.report()).isNull();
    assertThat(witnesses.asked).as("both at once, each round").isEqualTo(4);
    witnesses.found.put("worker", List.of(rank("worker", 1, 2)));
    gang.round();
    assertThat(gang.report()).isNull();
    witnesses.found.put("master", List.of());
    gang.rounds(3);
    assertThat(report().done()).isEqualTo(LOOK);
    assertThat(report().ranks()).extracting(RankEvidence::rank).containsExactly(1);
    assertThat(report().pods()).isEmpty();
    gang.delete("worker");
    gang.rounds(3);
    assertThat(gang.node.calls).isEmpty();
    assertThat(gang.writes()).isEqualTo(1);
    assertThat(gang.notes).doesNotExist();
  }

  @Test
  void shouldFreezeAtOnceWhereTheOrderDoesNotAsk() {
    gang.say(FREEZE, LEADER);
    gang.round();
    assertThat(report().done()).isEqualTo(FREEZE);
    assertThat(report().ranks()).isEmpty();
    assertThat(witnesses.asked).isZero();
  }

  @Test
  void shouldKeepWhatWasReportedWhenContainersRunAgain() {
    inspectedAndFrozen();
    var before = report().ranks();
    gang.sayCollect(RESTART_ALL, LEADER);
    gang.rounds(3);
    gang.container("master", "m2", 1);
    gang.container("worker", "w2", 1);
    gang.rounds(3);
    assertThat(report().done()).isEqualTo(RESTART_ALL);
    assertThat(report().ranks()).isEqualTo(before);
  }

  /** A frozen process writes no dump, and one that is stopped by us would be blamed. */
  @Test
  void shouldNotInspectWhatIsFrozen() {
    gang.node.slow = true;
    witnesses.found.put("master", List.of());
    witnesses.found.put("worker", List.of());
    gang.sayCollect();
    gang.round();
    int asked = witnesses.asked;
    assertThat(asked).isEqualTo(2);
    witnesses.found.clear();
    gang.restartAgent();
    gang.rounds(3);
    assertThat(report().done()).isEqualTo(FREEZE);
    assertThat(witnesses.asked).isEqualTo(asked);
  }

  @Test
  void shouldForgetWithTheOrder() {
    inspectedAndFrozen();
    assertThat(witnesses.orders).containsExactly("order-uid");
    gang.orders.clear();
    gang.round();
    assertThat(witnesses.orders).isEmpty();
  }

  @Test
  void shouldReportNoMoreThanAnObjectHolds() {
    var many =
        java.util.stream.IntStream.range(0, 64).mapToObj(i -> rank("worker", i, 160)).toList();
    witnesses.found.put("master", List.of());
    witnesses.found.put("worker", many);
    gang.sayCollect();
    gang.round();
    assertThat(report().ranks()).hasSize(64);
    assertThat(report().ranks().getLast().dump()).isEqualTo(DumpState.UNREADABLE);
    assertThat(report().ranks().getLast().omitted()).containsExactly(EvidencePart.DUMP);
    assertThat(report().ranks().stream().flatMap(r -> r.groups().stream())).hasSizeBetween(30, 63);
  }
}
