package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.node;
import static dev.rekindle.controller.recovery.Decisions.entered;
import static dev.rekindle.controller.recovery.InPlacePods.at;
import static dev.rekindle.controller.recovery.InPlacePods.trains;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.DumpState;
import dev.rekindle.api.RankEvidence.Line;
import dev.rekindle.api.RankEvidence.LineKind;
import dev.rekindle.api.RankEvidence.ProcessState;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.api.StallFinding;
import dev.rekindle.api.StallFinding.NamedRank;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which rank a stalled gang waited for is found out before it is frozen. */
class StalledInPlaceTest {
  /** The gang stands, and rank 1, on node-1, is the one that has not joined. */
  static InPlaceScene scene() {
    return new InPlaceScene()
        .stalled()
        .ordered(RestartInstruction.FREEZE)
        .collects()
        .found(0, at(0, 0, 9))
        .found(1, at(1, 1, 8))
        .found(2, at(2, 2, 9));
  }

  static StallFinding finding(Decision decision) {
    return Objects.requireNonNull(
        Objects.requireNonNull(((Decision.Move) decision).next().cause()).stall());
  }

  private static List<Reason> announced(Decision decision) {
    return ((Decision.Move) decision).notes().stream().map(Decision.Note::reason).toList();
  }

  @Test
  void shouldHaveTheAgentsInspectTheRanksOfAStalledGangOnly() {
    assertThat(new InPlaceScene().stalled().effect(Effect.Order.class).spec().collectEvidence())
        .isTrue();
    assertThat(new InPlaceScene().effect(Effect.Order.class).spec().collectEvidence()).isNull();
  }

  @Test
  void shouldGiveTheAgentsTheTimeForIt() {
    Duration freeze = Policy.DEFAULT.freeze(3);
    Duration both = freeze.plus(RankEvidence.LIMIT);
    InPlaceScene late =
        new InPlaceScene()
            .stalled()
            .ordered(RestartInstruction.FREEZE)
            .collects()
            .phase(RecoveryPhase.DRAINING, NOW.minus(both).plusMillis(1));
    assertThat(late.decide()).isInstanceOf(Decision.Wait.class);
    assertThat(entered(late.phase(RecoveryPhase.DRAINING, NOW.minus(both).minusMillis(1)).decide()))
        .as("a rebuild")
        .isEqualTo(RecoveryPhase.DRAINING);
    Duration order =
        Duration.between(
            NOW,
            Objects.requireNonNull(
                new InPlaceScene().stalled().effect(Effect.Order.class).spec().until()));
    assertThat(order)
        .isGreaterThanOrEqualTo(
            both.plus(Policy.DEFAULT.replacement()).plus(Policy.DEFAULT.inspect()));
  }

  @Test
  void shouldSaveWhoIsNamedBeforeAnythingIsKilled() {
    Decision decision = scene().decide();
    assertThat(entered(decision)).isEqualTo(RecoveryPhase.PLANNING);
    StallFinding finding = finding(decision);
    assertThat(finding.stallClass()).isEqualTo("host");
    assertThat(finding.confidence()).isEqualTo("high");
    assertThat(finding.ranks()).isEqualTo(3);
    PodView pod = gang("").get(1);
    assertThat(finding.culprits())
        .containsExactly(
            new NamedRank(
                1, pod.name(), pod.node(), "has not joined collective 9 of default_pg (group 0)"));
    assertThat(finding.evidence()).isNotEmpty();
    assertThat(announced(decision)).containsExactly(Reason.GANG_FROZEN, Reason.CULPRIT_NAMED);
    Decision.Note note = ((Decision.Move) decision).notes().getLast();
    assertThat(note.node()).isEqualTo(pod.node());
    assertThat(note.text())
        .isEqualTo(
            "rank 1 (pod %s, node %s) has not joined collective 9 of default_pg (group 0); class host, confidence high"
                .formatted(pod.name(), pod.node()));
  }

  /** Its lines are not read, or what it does now prints no step. */
  @Test
  void shouldLeaveAGangAloneThatTrainsByTheDumpsOfAllItsRanks() {
    InPlaceScene scene = new InPlaceScene().stalled().ordered(RestartInstruction.FREEZE).collects();
    for (int rank = 0; rank < 3; rank++) {
      scene = scene.found(rank, trains(rank));
    }
    Instant step = NOW.minus(Policy.DEFAULT.stall()).plusSeconds(1);
    Decision decision = scene.ranks(steps(step)).decide();
    assertThat(entered(decision)).isEqualTo(RecoveryPhase.CANCELLED);
    assertThat(finding(decision).refuted()).isTrue();
    assertThat(announced(decision)).containsExactly(Reason.RECOVERY_CANCELLED);

    assertThat(entered(scene.ranks(steps(step.minusSeconds(1))).decide()))
        .as("for as long as of a job of which nothing is known")
        .isEqualTo(RecoveryPhase.PLANNING);
    assertThat(entered(scene.ranks(steps(step)).found(1, at(1, 1, 8)).decide()))
        .as("one of them waits")
        .isEqualTo(RecoveryPhase.PLANNING);
  }

  private static List<RankView> steps(Instant newest) {
    return Given.ranks(gang(""), 42L, newest, NOW);
  }

  /** A node turned out faulty meanwhile: its pod goes, and with it what its rank showed. */
  @Test
  void shouldSaveWhoIsNamedBeforeAPodIsReplaced() {
    Decision decision =
        scene()
            .node(node("node-2", Readiness.READY, NOW, true, "team/" + InPlaceScene.ME))
            .faulty(fault("node-2", "XID-79", FenceGuidance.ALWAYS))
            .decide();

    assertThat(finding(decision).culprits()).extracting(NamedRank::rank).containsExactly(1);
    assertThat(announced(decision)).containsExactly(Reason.CULPRIT_NAMED);
  }

  @Test
  void shouldNameNoRankByAGuess() {
    StallFinding guess =
        new StallFinding(
            "host", "low", List.of(new NamedRank(1, "p", "n", "sleeps")), List.of("line"), 4);

    assertThat(guess.named()).isFalse();
    assertThat(Avoidance.named(guess)).isEmpty();
    Decision.Note note = StallFindings.note(guess);
    assertThat(note.reason()).isEqualTo(Reason.CULPRIT_UNKNOWN);
    assertThat(note.text()).isEqualTo("class host; a guess: rank 1 sleeps");
    assertThat(note.node()).isEmpty();
  }

  /** No rank has a flight recorder; the watchdog of one is stuck. */
  @Test
  void shouldNameARankByWhatItsLogSays() {
    InPlaceScene scene = new InPlaceScene().stalled().ordered(RestartInstruction.FREEZE).collects();
    for (int rank = 0; rank < 3; rank++) {
      scene = scene.found(rank, said(rank, rank == 1 ? NOW : null));
    }
    StallFinding finding = finding(scene.decide());
    assertThat(finding.culprits()).extracting(NamedRank::rank).containsExactly(1);
    assertThat(finding.culprits().getFirst().node()).isEqualTo(gang("").get(1).node());
    assertThat(finding.stallClass()).isEqualTo("host");
    assertThat(finding.confidence()).isEqualTo("medium");
    StallFinding old = finding(scene.found(1, said(1, Instant.EPOCH)).decide());
    assertThat(old.culprits()).as("it trained on after that").isEmpty();
  }

  private static RankEvidence said(int rank, @Nullable Instant at) {
    PodView view = gang("").get(rank);
    Line line =
        new Line(
            LineKind.WATCHDOG_STUCK, at, null, 480, -1, -1, -1, "", "", "", "", false, List.of());
    return new RankEvidence(
            view.name(), view.uid(), rank, 3, ProcessState.RUNNING, DumpState.NONE, List.of())
        .withLines(at == null ? List.of() : List.of(line));
  }

  /** A program writes its dumps itself: its word takes no node out of service. */
  @Test
  void shouldBlameNoNodeForWhatAProgramSays() {
    Decision decision = scene().decide();
    assertThat(Objects.requireNonNull(((Decision.Move) decision).next().cause()).faultyNodes())
        .isEmpty();
  }

  @Test
  void shouldSayThatNoRankIsNamed() {
    Decision decision = scene().found(1, at(1, 1, 9)).decide();
    assertThat(finding(decision).culprits()).isEmpty();
    assertThat(finding(decision).stallClass()).isEqualTo("network");
    assertThat(announced(decision)).containsExactly(Reason.GANG_FROZEN, Reason.CULPRIT_UNKNOWN);
  }

  /** Its dumps do not show which rank it is; faults of the hardware come first. */
  @Test
  void shouldShowFaultsOfTheNodesOfAllSuspects() {
    Decision decision =
        scene()
            .found(1, at(1, 1, 9))
            .faulty(
                Given.fault(gang("").get(2).node(), "NIC-LINK-FLAP", FenceGuidance.THRESHOLD),
                Given.fault("node-of-others", "XID-63", FenceGuidance.THRESHOLD))
            .decide();
    assertThat(finding(decision).culprits()).isEmpty();
    assertThat(finding(decision).evidence().getFirst()).startsWith("NodeFault NIC-LINK-FLAP");
    assertThat(finding(decision).evidence()).noneMatch(line -> line.contains("XID-63"));
  }

  /**
   * A rank of which no agent found a process is a guess; one that no report has room for is not.
   */
  @Test
  void shouldNotGuessARankThatIsNotShown() {
    InPlaceScene scene = scene().found(0, at(0, 0, 9)).found(1, at(1, 1, 9));
    StallFinding guess = finding(scene.leftOut(2, null).decide());
    assertThat(guess.culprits()).extracting(NamedRank::rank).containsExactly(2);
    StallFinding finding = finding(scene.leftOut(2, 1).decide());
    assertThat(finding.culprits()).isEmpty();
    assertThat(finding.evidence())
        .contains("1 ranks are not shown: agents report at most 64 of a node");
  }

  @Test
  void shouldSayThatNothingWasFound() {
    InPlaceScene scene = new InPlaceScene().stalled().ordered(RestartInstruction.FREEZE).collects();
    for (int pod = 0; pod < 3; pod++) {
      scene.reported(pod, RestartInstruction.FREEZE, State.FROZEN);
    }
    Decision decision = scene.decide();
    assertThat(finding(decision).ranks()).isZero();
    assertThat(announced(decision)).contains(Reason.CULPRIT_UNKNOWN);
  }

  @Test
  void shouldSayNothingWhereNothingWasRequested() {
    Decision decision =
        new InPlaceScene()
            .stalled()
            .ordered(RestartInstruction.FREEZE)
            .found(0, at(0, 0, 9))
            .found(1, at(1, 1, 8))
            .found(2, at(2, 2, 9))
            .decide();
    assertThat(Objects.requireNonNull(((Decision.Move) decision).next().cause()).stall()).isNull();
    assertThat(announced(decision)).containsExactly(Reason.GANG_FROZEN);
  }

  /** The agent of a node that was taken over could otherwise have ranks elsewhere named. */
  @Test
  void shouldTakeNoAgentsWordForRanksOnOtherNodes() {
    Decision decision = scene().found(0, at(1, 1, 8)).found(1, at(1, 1, 9)).decide();
    // Its own rank has no dump that counts, which is a guess and no more.
    assertThat(finding(decision).culprits()).extracting(NamedRank::rank).containsExactly(0);
    assertThat(finding(decision).confidence()).isEqualTo("low");
    assertThat(finding(decision).ranks()).isEqualTo(2);
  }
}
