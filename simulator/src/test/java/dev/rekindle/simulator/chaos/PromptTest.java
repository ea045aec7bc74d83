package dev.rekindle.simulator.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.simulator.Given;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** For how long a job may stand without a word, where the word for it was lost. */
class PromptTest extends WatchedCluster {
  /** By when it would have to be heard of, at the latest. */
  private static final Duration HEARD =
      Policy.DEFAULT
          .start()
          .plus(Policy.DEFAULT.stall())
          .plus(Policy.DEFAULT.kubeletRestart())
          .plusMinutes(2);

  @BeforeEach
  void hang() {
    simulation.runFor(Duration.ofSeconds(30));
    simulation.levers().rankHangs(Given.KEY, 1);
  }

  private void loses() {
    String uid = simulation.job(Given.KEY).uid();
    invariants
        .deeds()
        .unannounced(new ClusterEvent(Given.KEY, uid, Reason.BUDGET_EXHAUSTED, "is spent", ""));
  }

  private boolean breaksWithin(Duration time) {
    Duration look = Duration.ofSeconds(5);
    for (Duration past = Duration.ZERO; past.compareTo(time) < 0; past = past.plus(look)) {
      simulation.runFor(look);
      invariants.look();
    }
    return invariants.violation().filter(v -> v.invariant() == Invariant.PROMPT).isPresent();
  }

  @Test
  void shouldNotLetAJobStandOfWhichNothingWasSaid() {
    assertThat(breaksWithin(HEARD.minusMinutes(1))).isFalse();
    assertThat(breaksWithin(Duration.ofMinutes(2))).isTrue();
  }

  /** Seed 94410837. */
  @Test
  void shouldWaitUntilALostEventIsWrittenAgainAndNoLonger() {
    assertThat(breaksWithin(HEARD.minusMinutes(1))).isFalse();
    loses();
    assertThat(breaksWithin(Duration.ofMinutes(6))).isFalse();
    assertThat(breaksWithin(Duration.ofMinutes(2))).isTrue();
  }
}
