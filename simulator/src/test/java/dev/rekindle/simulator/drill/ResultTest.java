package dev.rekindle.simulator.drill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.controller.model.RecoveryView;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ResultTest {
  @Test
  void shouldCallItRecoveredWhenTrainingIsPastItsOldStepAndEveryRecoveryEndedWell() {
    assertThat(result(true, RecoveryPhase.RECOVERED).recovered()).isTrue();
    assertThat(result(true, RecoveryPhase.RECOVERED, RecoveryPhase.RECOVERED).recovered()).isTrue();
  }

  @Test
  void shouldNotCallItRecoveredWhenAnythingOfThatIsMissing() {
    assertThat(result(false, RecoveryPhase.RECOVERED).recovered()).isFalse();
    assertThat(result(true).recovered()).isFalse();
    for (RecoveryPhase phase : RecoveryPhase.values()) {
      assertThat(result(true, RecoveryPhase.RECOVERED, phase).recovered())
          .as(phase.word())
          .isEqualTo(phase == RecoveryPhase.RECOVERED);
    }
  }

  @Test
  void shouldAddUpWhatSeveralRecoveriesCost() {
    Result result = result(true, RecoveryPhase.RECOVERED, RecoveryPhase.RECOVERED);
    assertThat(result.downtimeSeconds()).isEqualTo(21);
    assertThat(result.gpuHours()).isEqualTo(1);
    assertThat(result.lostSteps()).isEqualTo(14);
    assertThat(result.attempts()).isEqualTo(2);
  }

  private static Result result(boolean past, RecoveryPhase... phases) {
    return new Result(
        160,
        170,
        past,
        Duration.ofSeconds(50),
        Stream.of(phases).map(ResultTest::recovery).toList(),
        Map.of(),
        Duration.ofMinutes(4));
  }

  private static RecoveryView recovery(RecoveryPhase phase) {
    Outcome outcome = new Outcome(150L, 151L, 7L, 1800.0, 10.5, Map.of());
    return new RecoveryView(
        "default",
        "llm-r1",
        "uid",
        "1",
        new RecoverySpec(JobRef.pyTorchJob("llm", "uid"), null, null),
        new RecoveryStatus(phase, null, 1, null, null, null, outcome, List.of(), List.of()));
  }
}
