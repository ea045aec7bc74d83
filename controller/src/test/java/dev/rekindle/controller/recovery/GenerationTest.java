package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.rank;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.api.RestartReportSpec.PodRestart;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.controller.model.OrderView;
import dev.rekindle.controller.model.PodView;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which runs of a container belong to an attempt in place. */
class GenerationTest {
  /** A run has the restart count that the kubelet gives it: 0 for the first container of a pod. */
  @ParameterizedTest
  @CsvSource({
    "-1, 0, true",
    "-1, 1, true",
    "0, 0, false",
    "0, 1, true",
    "3, 3, false",
    "3, 4, true",
  })
  void shouldHaveTheRunsAfterTheOneThatWasFrozen(int frozen, int run, boolean has) {
    PodView pod = gang("r1-1").getFirst();
    PodRestart restart = new PodRestart(pod.name(), pod.uid(), "", frozen, "", State.RESTARTED);
    RestartOrderSpec spec =
        new RestartOrderSpec(
            JobRef.pyTorchJob("demo", "u"), "r1", RestartInstruction.RESTART_ALL, "leader", T0);

    Generation generation =
        new Generation(new OrderView("team", "r1-1", "u", T0, spec), Map.of(pod.uid(), restart));

    assertThat(generation.has(rank(pod, 7L, T0, T0), run)).isEqualTo(has);
  }
}
