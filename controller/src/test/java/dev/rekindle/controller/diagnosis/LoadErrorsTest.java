package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.ranks;
import static dev.rekindle.controller.Given.restarted;
import static dev.rekindle.controller.diagnosis.JobSnapshots.NOW;
import static dev.rekindle.controller.diagnosis.JobSnapshots.decide;
import static dev.rekindle.controller.diagnosis.JobSnapshots.reason;
import static dev.rekindle.controller.diagnosis.JobSnapshots.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.LoadErrorKind;
import dev.rekindle.api.RankReportStatus.LoadError;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A container that ends as its script cannot load a checkpoint. */
class LoadErrorsTest {
  private static final Instant STEPPED = T0.plusSeconds(50);
  private static final Instant SAID = T0.plusSeconds(70);

  @ParameterizedTest
  @EnumSource(
      value = RestartPolicy.class,
      names = {"ON_FAILURE", "ALWAYS"})
  void shouldNotWaitForAKubeletThatWouldLoadTheSameCheckpointAgain(RestartPolicy policy) {
    List<PodView> pods = ended(SAID.plusSeconds(1));
    Verdict verdict = decide(job().restart(policy), pods, List.of(), saying(pods, line(0, SAID)));
    assertThat(reason(verdict)).isEqualTo("CheckpointNotLoaded");
    assertThat(((Verdict.Recover) verdict).cause().message())
        .isEqualTo(
            "a checkpoint cannot be loaded (Archive): PytorchStreamReader failed; first to fail:"
                + " pod demo-worker-0 on node node-1: a container ended");
    assertThat(decide(job().restart(policy), pods, List.of(), saying(pods, null)))
        .isInstanceOf(Verdict.Watch.class);
  }

  @ParameterizedTest
  @EnumSource(
      value = RestartPolicy.class,
      names = {"NEVER", "EXIT_CODE"})
  void shouldNameItWhereThePodHasFailed(RestartPolicy policy) {
    List<PodView> gang = gang("a");
    List<PodView> pods = with(gang, 1, Given.failed(gang.get(1), SAID.plusSeconds(1), "code 1"));
    assertThat(reason(decide(job().restart(policy), pods, List.of(), saying(pods, line(0, SAID)))))
        .isEqualTo("CheckpointNotLoaded");
  }

  @ParameterizedTest(name = "said at {0} s by run {1}, ended at {2} s")
  @CsvSource({
    // Kubernetes cuts the time of an end to whole seconds.
    "70, 0, 70, true",
    "70, 0, 69, true",
    "70, 0, 68, false",
    // The gang has trained since.
    "49, 0, 51, false",
    // An earlier run said so; the one that ended did not.
    "70, -1, 71, false"
  })
  void shouldCountALineOfTheRunThatEnded(int said, int run, int ended, boolean counts) {
    List<PodView> pods = ended(T0.plusSeconds(ended));
    if (run < 0) {
      pods.set(1, pods.get(1).withRestarts(2));
    }
    List<RankView> ranks = saying(pods, line(0, T0.plusSeconds(said)));
    Verdict verdict = decide(job().restart(RestartPolicy.ON_FAILURE), pods, List.of(), ranks);
    assertThat(verdict instanceof Verdict.Recover).as("%s", verdict).isEqualTo(counts);
  }

  @Test
  void shouldNotCountALineOfAScriptThatTookAnotherOneAndTrained() {
    List<PodView> pods = ended(SAID.plusSeconds(1));
    List<RankView> ranks = new ArrayList<>(saying(pods, line(0, SAID)));
    ranks.set(1, ranks.get(1).withFirstStep(31L));
    assertThat(decide(job().restart(RestartPolicy.ON_FAILURE), pods, List.of(), ranks))
        .isInstanceOf(Verdict.Watch.class);
  }

  /** A recovery has brought the gang back since; a rank without steps keeps its line. */
  @Test
  void shouldNotCountALineFromBeforeARecovery() {
    List<PodView> pods = ended(SAID.plusSeconds(1));
    JobSnapshot s =
        with(
            pods,
            saying(pods, line(0, SAID)),
            JobSnapshots.drained("r1", T0, 1, SAID.plusSeconds(20)));
    assertThat(Objects.requireNonNull(s.recoveries().getFirst().status()).phase())
        .isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(JobVerdicts.decide(s, Policy.DEFAULT, NOW)).isNotInstanceOf(Verdict.Recover.class);
  }

  private static List<PodView> ended(Instant at) {
    List<PodView> gang = gang("a");
    return new ArrayList<>(with(gang, 1, restarted(gang.get(1), at)));
  }

  /** The first rank has stepped; the second one has printed the line, where there is one. */
  private static List<RankView> saying(List<PodView> pods, @Nullable LoadError line) {
    List<RankView> ranks = new ArrayList<>(ranks(pods, 42L, STEPPED, NOW));
    RankView second = Given.rank(pods.get(1), null, null, NOW).withLoadError(line);
    ranks.set(1, second);
    return ranks;
  }

  private static LoadError line(int run, Instant at) {
    return new LoadError(LoadErrorKind.ARCHIVE, "PytorchStreamReader failed", run, at);
  }
}
