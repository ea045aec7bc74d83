package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.Policy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How a drained gang waits for its inspector. */
class PlanningTest {
  private static Duration pauseAfter(long millis, Inspection inspection) {
    RecoverySnapshot s =
        new InPlaceScene()
            .rebuilt()
            .job(job().suspended(ME, true))
            .pods(List.of())
            .phase(RecoveryPhase.PLANNING, NOW.minusMillis(millis))
            .snapshot()
            .withInspection(inspection);
    Policy policy = Policy.DEFAULT.with(b -> b.inspect(Duration.ofSeconds(60)));
    Decision decision = RecoveryMachine.decide(s, policy, NOW);
    return ((Decision.Wait) decision).recheck();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 150",
    "-5000, 150",
    "1200, 150",
    "4000, 500",
    "16000, 2000",
    "50000, 2000",
    "59000, 1000",
    "59990, 150"
  })
  void shouldReadTheInspectorLessOftenTheLongerItTakes(long waitedMillis, long pauseMillis) {
    assertThat(pauseAfter(waitedMillis, new Inspection.Pending("ContainerCreating")))
        .hasMillis(pauseMillis);
    assertThat(pauseAfter(waitedMillis, new Inspection.Report(1, List.of(), "")))
        .hasMillis(pauseMillis);
  }
}
