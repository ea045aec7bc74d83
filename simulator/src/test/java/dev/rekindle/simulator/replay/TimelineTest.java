package dev.rekindle.simulator.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.simulator.replay.Timeline.Piece;
import dev.rekindle.simulator.replay.Timeline.State;
import dev.rekindle.simulator.replay.Timeline.Stop;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A step takes a minute, a checkpoint is written every 30 steps and takes no time. */
class TimelineTest {
  private final Timeline ledger = new Timeline(0, 30);

  private static Duration min(long minutes) {
    return Duration.ofMinutes(minutes);
  }

  private Duration in(State state) {
    return ledger.pieces().stream()
        .filter(piece -> piece.state() == state)
        .map(Piece::length)
        .reduce(Duration.ZERO, Duration::plus);
  }

  @Test
  void shouldAccountForThreeFaultsAsDoneByHand() {
    // 100 steps; a fault; 10 minutes down; back to the checkpoint of step 90.
    ledger.fault(FaultKind.GPU_LOST);
    ledger.look(min(100), false, 100);
    ledger.look(min(110), true, 90);
    // 25 steps; a fault; 20 minutes down, of which 5 for want of a node; back to step 90 again.
    ledger.fault(FaultKind.NODE_DEAD);
    ledger.look(min(135), false, 115);
    ledger.fault(FaultKind.ECC);
    ledger.shortOfNodes(min(140), true);
    ledger.shortOfNodes(min(145), false);
    ledger.look(min(155), true, 90);
    // 60 steps; a fault right after the checkpoint of step 150; down to the end.
    ledger.fault(FaultKind.HANG);
    ledger.look(min(215), false, 150);
    ledger.end(min(240), false, 150);

    assertThat(ledger.made()).isEqualTo(100 + 25 + 60);
    assertThat(ledger.made() - ledger.productive()).isEqualTo(10 + 25);
    assertThat(ledger.productive()).isEqualTo(150);
    assertThat(ledger.checkpoints()).isEqualTo(3 + 0 + 2);
    assertThat(in(State.TRAINING)).isEqualTo(min(185));
    assertThat(in(State.DOWN)).isEqualTo(min(10 + 15 + 25));
    assertThat(in(State.SHORT_OF_NODES)).isEqualTo(min(5));
    assertThat(ledger.stops())
        .containsExactly(
            new Stop(min(100), min(110), true, FaultKind.GPU_LOST),
            new Stop(min(135), min(155), true, FaultKind.NODE_DEAD),
            new Stop(min(215), min(240), false, FaultKind.HANG));
  }

  @Test
  void shouldCutTimeIntoPiecesWithoutGaps() {
    ledger.shortOfNodes(min(5), true);
    ledger.look(min(10), false, 10);
    ledger.shortOfNodes(min(20), false);
    ledger.look(min(30), true, 0);
    ledger.end(min(40), true, 10);
    assertThat(ledger.pieces())
        .containsExactly(
            new Piece(min(0), min(5), State.TRAINING),
            new Piece(min(5), min(10), State.TRAINING),
            new Piece(min(10), min(20), State.SHORT_OF_NODES),
            new Piece(min(20), min(30), State.DOWN),
            new Piece(min(30), min(40), State.TRAINING));
  }

  @Test
  void shouldNoticeARestartThatWasNotSeenStanding() {
    ledger.look(min(50), true, 50);
    ledger.look(min(60), true, 35);
    ledger.end(min(70), true, 45);
    assertThat(ledger.made() - ledger.productive()).isEqualTo(15);
    assertThat(ledger.productive()).isEqualTo(45);
    assertThat(ledger.made()).isEqualTo(60);
    assertThat(ledger.stops()).hasSize(1);
  }

  @Test
  void shouldCountNothingTwiceWhenGivenTheSameAgain() {
    for (int i = 0; i < 3; i++) {
      ledger.look(min(50), false, 50);
    }
    ledger.look(min(60), true, 30);
    ledger.look(min(60), true, 30);
    ledger.end(min(70), true, 40);
    assertThat(ledger.stops()).hasSize(1);
    assertThat(ledger.made() - ledger.productive()).isEqualTo(20);
    assertThat(ledger.made()).isEqualTo(60);
  }
}
