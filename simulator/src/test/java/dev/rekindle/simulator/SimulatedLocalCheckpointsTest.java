package dev.rekindle.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RestartMode;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which checkpoint a job on three of four nodes resumes from, where each node keeps a copy. */
class SimulatedLocalCheckpointsTest extends SimulatedJobFixture {
  @BeforeEach
  void begin() {
    begin(
        Given.job()
            .onEachNode()
            .way(RestartMode.REBUILD)
            .training(Duration.ofMillis(100), 10, Duration.ofMillis(500)),
        Policy.DEFAULT);
  }

  private PinnedCheckpoint pin() {
    return Objects.requireNonNull(Objects.requireNonNull(run.newest().plan()).checkpoint());
  }

  @Test
  void shouldPinWhatAllNodesHaveAndTakeTheGangBackToThem() {
    // The scheduler would take it first of all.
    run.world().nodes().patch("node-0", n -> n.cordoned(true, ""));
    run.until(() -> run.step() > 35);
    run.world().nodes().patch("node-0", n -> n.cordoned(false, ""));
    run.levers().rankDies(Given.KEY, 1, 1);
    run.untilOver();

    assertThat(pin().step()).as(pin().message()).isEqualTo(30);
    assertThat(pin().nodes()).containsExactly("node-1", "node-2", "node-3");
    assertThat(run.pods()).extracting(PodView::node).doesNotContain("node-0");
    assertThat(run.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
  }

  @Test
  void shouldPassOverWhatIsTornOnOneNode() {
    run.until(() -> run.step() > 35);
    run.levers().tearNewestCheckpoint(Given.KEY);
    run.levers().rankDies(Given.KEY, 1, 1);
    run.untilOver();

    assertThat(pin().step()).as(pin().message()).isEqualTo(20);
    assertThat(pin().message()).contains("step 30 torn");
  }

  /** With the disks of the others alone it is not known what the script would load. */
  @Test
  void shouldPinNothingWhereANodeWithACopyIsAway() {
    run.until(() -> run.step() > 35);
    run.levers().nodeDies("node-1");
    run.untilOver();

    assertThat(pin().verdict()).isEqualTo(CheckpointVerdict.UNKNOWN);
    assertThat(pin().message()).contains("node-1", "out of reach");
  }

  /** The new machine of the name has an empty disk. */
  @Test
  void shouldPinNothingThatAnExchangedMachineLacks() {
    run.until(() -> run.step() > 35);
    run.world().turnover().leaves("node-1", true);
    run.runFor(Duration.ofSeconds(1));
    run.world().turnover().joins("node-1");
    run.untilOver();

    assertThat(pin().verdict()).isEqualTo(CheckpointVerdict.UNKNOWN);
  }
}
