package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.port.ClusterGateway.RefusedException;
import org.junit.jupiter.api.Test;

class EffectMemoryTest {
  private static final Effect EFFECT = new Effect.StopInspector();

  private final EffectMemory memory = new EffectMemory("demo-r1");

  private void fails() {
    EffectOutcomes outcomes = new EffectOutcomes();
    outcomes.failed(EFFECT.kind(), "job", new RefusedException(403, "no"));
    var _ = memory.add(outcomes, T0);
  }

  @Test
  void shouldCountWhatFailsAgainAndAgain() {
    fails();
    fails();

    assertThat(memory.failures().of(EFFECT.kind(), T0))
        .hasValueSatisfying(failure -> assertThat(failure.times()).isEqualTo(2));
  }

  @Test
  void shouldForgetAFailureOnceTheCallSucceeds() {
    fails();
    EffectOutcomes outcomes = new EffectOutcomes();
    outcomes.done(EFFECT);

    assertThat(memory.add(outcomes, T0)).isEmpty();

    assertThat(memory.failures().of(EFFECT.kind(), T0)).isEmpty();
  }
}
