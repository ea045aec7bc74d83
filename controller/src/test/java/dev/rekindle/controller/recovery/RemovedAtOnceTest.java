package dev.rekindle.controller.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.detect.SteadyClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class RemovedAtOnceTest {
  private static final List<PodView> GANG = Given.gang("");
  private static final RecoveryView FIRST = recovery("demo-r1");
  private static final RecoveryView SECOND = recovery("demo-r2");

  private Instant now = Given.T0;
  private final RemovedAtOnce removed = new RemovedAtOnce(SteadyClock.over(() -> now));
  private final JobView patient = Given.job().view();
  private final JobView impatient = patient.withRemovedAtOnce(true);

  private static RecoveryView recovery(String name) {
    RecoverySpec spec = new RecoverySpec(JobRef.pyTorchJob("demo", "uid"), Given.T0, null);
    return new RecoveryView("team", name, "uid-" + name, "1", spec, null);
  }

  private void pass(Duration time) {
    now = now.plus(time);
  }

  private boolean isGone(JobView job, RecoveryView recovery) {
    return removed.hasEnded(job, recovery, List.of(), /* none= */ true);
  }

  @Test
  void shouldWaitForNoKubeletThatHasConfirmedTheEnd() {
    assertThat(removed.hasEnded(patient, FIRST, GANG, /* none= */ false)).isFalse();
    assertThat(isGone(patient, FIRST)).isTrue();
  }

  /** Seed 2517: the old gang ran on for seconds beside the new one. */
  @Test
  void shouldWaitForTheKubeletsOfPodsThatAreRemovedAtOnce() {
    assertThat(isGone(impatient, FIRST)).isFalse();
    pass(RemovedAtOnce.KUBELET.minusMillis(1));
    assertThat(isGone(impatient, FIRST)).isFalse();
    pass(Duration.ofMillis(1));
    assertThat(isGone(impatient, FIRST)).isTrue();
  }

  @Test
  void shouldCountAnewWhereAPodIsThereAgainAndForEachRecovery() {
    assertThat(isGone(impatient, FIRST)).isFalse();
    pass(RemovedAtOnce.KUBELET);
    assertThat(removed.hasEnded(impatient, FIRST, GANG, /* none= */ false)).isFalse();
    assertThat(isGone(impatient, FIRST)).isFalse();
    pass(RemovedAtOnce.KUBELET);
    assertThat(isGone(impatient, FIRST)).isTrue();

    assertThat(isGone(impatient, SECOND)).isFalse();
    removed.forget(impatient.key());
    assertThat(isGone(impatient, SECOND)).isFalse();
  }

  /** The template was edited since the pods were made. */
  @Test
  void shouldRememberThePodsThatItHasSeen() {
    List<PodView> old = GANG.stream().map(pod -> pod.withGraceSeconds(0)).toList();
    assertThat(removed.hasEnded(patient, FIRST, old, /* none= */ false)).isFalse();

    assertThat(isGone(patient, FIRST)).isFalse();
    pass(RemovedAtOnce.KUBELET);
    assertThat(isGone(patient, FIRST)).isTrue();
    assertThat(isGone(patient, SECOND)).isTrue();
  }
}
