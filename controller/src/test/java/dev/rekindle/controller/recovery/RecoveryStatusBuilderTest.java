package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Evidence;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RecoveryStatusBuilderTest {
  @Test
  void shouldAddUpAPhaseThatWasEnteredAgainWithoutRoundingErrors() {
    Cause cause = new Cause("Stalled", "", List.of(), List.of(), List.of(), List.of(), null);
    RecoveryStatus status = RecoveryStatusBuilder.begin(cause, List.of(), T0);
    status = RecoveryStatusBuilder.enter(status, RecoveryPhase.VERIFYING, "", T0.plusMillis(250));
    status = RecoveryStatusBuilder.enter(status, RecoveryPhase.DRAINING, "", T0.plusMillis(350));
    status = RecoveryStatusBuilder.enter(status, RecoveryPhase.VERIFYING, "", T0.plusMillis(1_350));

    // 0.1 + 0.2 is 0.30000000000000004
    assertThat(RecoveryStatusBuilder.secondsPerPhase(status, T0.plusMillis(1_550)))
        .isEqualTo(Map.of("Detected", 0.25, "Verifying", 0.3, "Draining", 1.0));
  }

  @Test
  void shouldReportWhenTheKubeletOfASilentNodeWasLastHeard() {
    Evidence seen = Evidence.onNode("n1", "seen");
    Cause cause =
        new Cause("NodeSilent", "", List.of(seen), List.of(), List.of("n1"), List.of(), null);

    assertThat(
            RecoveryStatusBuilder.withLeases(cause, Map.of("n1", T0), T0.plusSeconds(47))
                .evidence())
        .containsExactly(
            seen, Evidence.onNode("n1", "its kubelet last renewed its lease 47 s ago"));
    assertThat(RecoveryStatusBuilder.withLeases(cause, Map.of(), T0)).isEqualTo(cause);
  }
}
