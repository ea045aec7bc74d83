package dev.rekindle.controller.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartOrderSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class AcceptedEffectsTest {
  private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");
  private static final Effect SUSPEND = new Effect.Suspend();
  private static final Effect POD = new Effect.DeletePod("pod-0", "uid-0", Duration.ofSeconds(30));
  private static final Effect FORCED = new Effect.DeletePod("pod-0", "uid-0", Duration.ZERO);

  private final AcceptedEffects accepted = new AcceptedEffects();

  private static Instant at(double seconds) {
    return T0.plusMillis((long) (seconds * 1000));
  }

  @Test
  void shouldRepeatWithGrowingPauses() {
    double[] pauses = {1, 2, 4, 8, 8};
    double now = 0;
    for (double pause : pauses) {
      accepted.add(SUSPEND, at(now));
      assertThat(accepted.due(List.of(SUSPEND), at(now + pause - 0.1))).isEmpty();
      now += pause;
      assertThat(accepted.due(List.of(SUSPEND), at(now))).containsExactly(SUSPEND);
    }
  }

  @Test
  void shouldTakeAnotherObjectOrAnotherGraceForAnotherEffect() {
    accepted.add(POD, T0);
    assertThat(accepted.due(List.of(SUSPEND, POD, FORCED), T0)).containsExactly(SUSPEND, FORCED);
  }

  /** Each reconcile decides it again, with another end (seed 79025807). */
  @Test
  void shouldTakeAnOrderThatHoldsLongerForTheSame() {
    Effect look = order(RestartInstruction.LOOK, at(30));
    Effect longer = order(RestartInstruction.LOOK, at(31));
    Effect freeze = order(RestartInstruction.FREEZE, at(31));
    accepted.add(look, T0);
    assertThat(accepted.due(List.of(longer, freeze), at(0.5))).containsExactly(freeze);
    accepted.keep(List.of(longer));
    assertThat(accepted.due(List.of(longer), at(0.5))).isEmpty();
    assertThat(accepted.due(List.of(longer), at(1))).containsExactly(longer);
  }

  private static Effect order(RestartInstruction instruction, Instant until) {
    return new Effect.Order(
        "job-r1-1",
        new RestartOrderSpec(JobRef.pyTorchJob("job", "uid"), "job-r1", instruction, "", until));
  }

  @Test
  void shouldForgetWhatIsNoLongerWanted() {
    accepted.add(POD, T0);
    accepted.add(SUSPEND, T0);
    accepted.keep(List.of(POD));
    assertThat(accepted.due(List.of(SUSPEND, POD), T0)).containsExactly(SUSPEND);
  }

  @Test
  void shouldRepeatAtOnceWhereTheClockWasSetBack() {
    accepted.add(SUSPEND, T0.plus(Duration.ofHours(1)));
    assertThat(accepted.due(List.of(SUSPEND), T0)).containsExactly(SUSPEND);
  }
}
