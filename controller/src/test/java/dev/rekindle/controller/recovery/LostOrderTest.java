package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RestartWay;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.Policy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Somebody has deleted the order that kept the gang frozen: its agents have thawed it. */
class LostOrderTest {
  @ParameterizedTest
  @EnumSource(names = {"PLANNING", "RESUMING"})
  void shouldCountOnNoBarrierWhereTheOrderIsGone(RecoveryPhase phase) {
    Inspection.Checkpoint good =
        new Inspection.Checkpoint("/ckpt/step-40.pt", 40, 1, NOW, "valid", "L3", "");
    RecoverySnapshot frozen =
        new InPlaceScene()
            .frozenAndReplaced()
            .pinned(40)
            .phase(phase, NOW)
            .snapshot()
            .withInspection(new Inspection.Report(2, List.of(good), ""));

    Decision decision = RecoveryMachine.decide(frozen.withOrder(null), Policy.DEFAULT, NOW);

    assertThat(Decisions.way(decision)).isEqualTo(RestartWay.REBUILD);
    assertThat(Decisions.detail(decision)).contains("the order to the agents is gone");
  }

  /** Another one has its name, say, or the watch of orders is dead. */
  @Test
  void shouldNotOrderForEverWhatIsNeverSeen() {
    Policy policy = Policy.DEFAULT;
    Duration bound = policy.freeze(3).plus(policy.replacement());
    InPlaceScene unseen = new InPlaceScene().phase(RecoveryPhase.DRAINING, NOW);

    assertThat(unseen.decide(NOW.plus(bound))).isInstanceOf(Decision.Act.class);
    Decision late = unseen.decide(NOW.plus(bound).plusMillis(1));
    assertThat(Decisions.way(late)).isEqualTo(RestartWay.REBUILD);
    assertThat(Decisions.detail(late)).contains("no order to the agents is seen");
  }
}
