package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.Decisions.detail;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.controller.model.PodView;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A frozen gang whose restart in place would use up the backoffLimit of its job. */
class BackoffLimitTest {
  /** Of the three pods one is new; the restart takes two. */
  private static InPlaceScene frozen(int limit) {
    return new InPlaceScene()
        .job(job().backoffLimit(limit))
        .frozenAndReplaced()
        .phase(RecoveryPhase.RESUMING, NOW);
  }

  @ParameterizedTest
  @CsvSource({
    "1, FROZEN",
    "2, FROZEN",
    "2147483647, FROZEN",
    "0, KILLED",
    "1, KILLED",
    "2147483647, KILLED"
  })
  void shouldCountARestartThatOnlyTheAgentHasSeenOrThatIsToCome(int restarts, State state) {
    assertThat(frozen(3).effect(Effect.Order.class).spec().instruction())
        .isEqualTo(RestartInstruction.RESTART_LEADER);

    InPlaceScene scene = frozen(3).reportedRestarts(2, restarts, state);

    assertThat(scene.snapshot().pods()).allMatch(p -> p.restarts() == 0);
    assertThat(detail(scene.decide())).contains("backoffLimit of 3");
  }

  @ParameterizedTest
  @CsvSource({"1, FROZEN", "0, KILLED"})
  void shouldRestartInPlaceWhereTheLimitLeavesRoomForIt(int restarts, State state) {
    assertThat(
            frozen(4)
                .reportedRestarts(2, restarts, state)
                .effect(Effect.Order.class)
                .spec()
                .instruction())
        .isEqualTo(RestartInstruction.RESTART_LEADER);
  }

  /** The new pod has crashed on its own; the operator counts that too. */
  @Test
  void shouldCountTheRestartsOfAPodThatIsLeftAlone() {
    InPlaceScene scene = frozen(3);
    List<PodView> pods = scene.snapshot().pods();
    List<PodView> crashed =
        pods.stream().map(p -> p.uid().equals(newest(pods)) ? p.withRestarts(1) : p).toList();

    assertThat(detail(scene.pods(crashed).decide())).contains("backoffLimit of 3");
  }

  private static String newest(List<PodView> pods) {
    return pods.stream().max(Comparator.comparing(PodView::created)).orElseThrow().uid();
  }
}
