package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static dev.rekindle.controller.recovery.Decisions.entered;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Processes that may outlive their pods, where a gang is drained. */
class LingeringTest {
  private static InPlaceScene drained() {
    return new InPlaceScene()
        .rebuilt()
        .job(job().suspended(ME, true))
        .pods(List.of())
        .phase(RecoveryPhase.PLANNING, NOW)
        .scanned();
  }

  @Test
  void shouldLetProcessesEndOnANodeThatMayHaveWokenUpWhileItsPodWasRemoved() {
    InPlaceScene silent = drained().knownSilent("node-1");

    assertThat(silent.decide(NOW.plusSeconds(4)))
        .isEqualTo(
            new Decision.Wait(
                "processes on a node that may just have woken up, or still runs, end",
                Duration.ofSeconds(1)));
    assertThat(entered(silent.decide(NOW.plusSeconds(5)))).isEqualTo(RecoveryPhase.RESUMING);
  }

  @Test
  void shouldLetProcessesEndOnAMachineWhoseNodeWasDeleted() {
    InPlaceScene gone = drained().knownSilent("node-9");

    assertThat(gone.snapshot().nodes()).doesNotContainKey("node-9");
    assertThat(gone.decide(NOW.plusSeconds(4))).isInstanceOf(Decision.Wait.class);
    assertThat(entered(gone.decide(NOW.plusSeconds(5)))).isEqualTo(RecoveryPhase.RESUMING);
  }

  @Test
  void shouldWaitForNoProcessOnANodeThatIsProvenOff() {
    NodeView off = node("node-1", Readiness.SILENT, T0, true, "team/" + ME).withOutOfService(true);

    assertThat(entered(drained().knownSilent("node-1").node(off).decide()))
        .isEqualTo(RecoveryPhase.RESUMING);
  }
}
