package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodView;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class DrainingTest {
  private static final PodView SILENT =
      gang("").get(1).with(b -> b.deletionGraceSeconds(1L).deletionDeadline(T0));

  /** The peers of a pod on a silent node are gone, so nothing else stands against removing it. */
  @Test
  void shouldRemoveASilentPodByForceOnceTheOperatorHasSeenTheSuspension() {
    Decision seen = drain(job().suspended(InPlaceScene.ME, true), SILENT);
    Decision notSeen = drain(job().suspended(InPlaceScene.ME, false), SILENT);

    assertThat(deletions(seen))
        .containsExactly(new Effect.DeletePod(SILENT.name(), SILENT.uid(), Duration.ZERO));
    assertThat(deletions(notSeen)).as("the operator would make it anew").isEmpty();
  }

  @Test
  void shouldAskAPodToEndBeforeTheSuspensionIsSeenUnlessThatFailsTheJob() {
    PodView pod = gang("").getFirst();
    Given.Job never = job().restart(RestartPolicy.NEVER).suspended(InPlaceScene.ME, false);
    Given.Job onFailure = job().restart(RestartPolicy.ON_FAILURE).suspended(InPlaceScene.ME, false);

    assertThat(deletions(drain(onFailure, pod))).hasSize(1);
    assertThat(deletions(drain(never, pod))).isEmpty();
    assertThat(
            deletions(
                drain(job().restart(RestartPolicy.NEVER).suspended(InPlaceScene.ME, true), pod)))
        .hasSize(1);
  }

  private static Decision drain(Given.Job job, PodView pod) {
    return new InPlaceScene()
        .rebuilt()
        .phase(RecoveryPhase.DRAINING, InPlaceScene.NOW.minusSeconds(1))
        .job(job)
        .pods(List.of(pod))
        .knownSilent("node-1")
        .node(node("node-1", Readiness.SILENT, T0, true, "team/" + InPlaceScene.ME))
        .decide();
  }

  private static List<Effect> deletions(Decision decision) {
    return decision instanceof Decision.Act act
        ? act.effects().stream().filter(Effect.DeletePod.class::isInstance).toList()
        : List.of();
  }
}
