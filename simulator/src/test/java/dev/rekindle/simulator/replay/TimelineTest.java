package dev.rekindle.simulator.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.simulator.replay.Timeline.Piece;
import dev.rekindle.simulator.replay.Timeline.State;
import dev.rekindle.simulator.replay.Timeline.Stop;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A step takes a minute, a checkpoint is written every 30 steps and takes no time. */
class TimelineTest {
  private final Timeline timeline = new Timeline(0, 30);

  private static Duration min(long minutes) {
    return Duration.ofMinutes(minutes);
  }

  @Test
  void shouldAccountForThreeFaultsAsDoneByHand() {
    // 100 steps; a fault; 10 minutes down; back to the checkpoint of step 90.
    timeline.fault(FaultKind.GPU_LOST);
    timeline.update(min(100), false, 100);
    timeline.update(min(110), true, 90);
    // 25 steps; a fault; 20 minutes down, of which 5 for want of a node; back to step 90 again.
    timeline.fault(FaultKind.NODE_DEAD);
    timeline.update(min(135), false, 115);
    timeline.fault(FaultKind.ECC);
    timeline.shortOfNodes(min(140), true);
    timeline.shortOfNodes(min(145), false);
    timeline.update(min(155), true, 90);
    // 60 steps; a fault right after the checkpoint of step 150; down to the end.
    timeline.fault(FaultKind.HANG);
    timeline.update(min(215), false, 150);
    Timeline.Account account = timeline.end(min(240), false, 150);

    assertThat(account.made()).isEqualTo(100 + 25 + 60);
    assertThat(account.lost()).isEqualTo(10 + 25);
    assertThat(account.productive()).isEqualTo(150);
    assertThat(account.checkpoints()).isEqualTo(3 + 0 + 2);
    assertThat(account.in(State.TRAINING)).isEqualTo(min(185));
    assertThat(account.in(State.DOWN)).isEqualTo(min(10 + 15 + 25));
    assertThat(account.in(State.SHORT_OF_NODES)).isEqualTo(min(5));
    assertThat(account.stops())
        .containsExactly(
            new Stop(min(100), min(110), true, FaultKind.GPU_LOST),
            new Stop(min(135), min(155), true, FaultKind.NODE_DEAD),
            new Stop(min(215), min(240), false, FaultKind.HANG));
  }

  @Test
  void shouldCutTimeIntoPiecesWithoutGaps() {
    timeline.shortOfNodes(min(5), true);
    timeline.update(min(10), false, 10);
    timeline.shortOfNodes(min(20), false);
    timeline.update(min(30), true, 0);
    Timeline.Account account = timeline.end(min(40), true, 10);
    assertThat(account.pieces())
        .containsExactly(
            new Piece(min(0), min(5), State.TRAINING),
            new Piece(min(5), min(10), State.TRAINING),
            new Piece(min(10), min(20), State.SHORT_OF_NODES),
            new Piece(min(20), min(30), State.DOWN),
            new Piece(min(30), min(40), State.TRAINING));
  }

  @Test
  void shouldNoticeARestartThatWasNotSeenStanding() {
    timeline.update(min(50), true, 50);
    timeline.update(min(60), true, 35);
    Timeline.Account account = timeline.end(min(70), true, 45);
    assertThat(account.lost()).isEqualTo(15);
    assertThat(account.productive()).isEqualTo(45);
    assertThat(account.made()).isEqualTo(60);
    assertThat(account.stops()).hasSize(1);
  }

  @Test
  void shouldCountNothingTwiceWhenGivenTheSameAgain() {
    for (int i = 0; i < 3; i++) {
      timeline.update(min(50), false, 50);
    }
    timeline.update(min(60), true, 30);
    timeline.update(min(60), true, 30);
    Timeline.Account account = timeline.end(min(70), true, 40);
    assertThat(account.stops()).hasSize(1);
    assertThat(account.lost()).isEqualTo(20);
    assertThat(account.made()).isEqualTo(60);
  }
}
