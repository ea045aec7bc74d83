package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.nodes;
import static dev.rekindle.controller.diagnosis.JobSnapshots.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Whether a job is to hear that its steps are not seen. */
class UnseenStepsTest {
  private static final List<PodView> PODS = gang("a");

  private static List<RankView> stepless() {
    return Given.ranks(PODS, null, null, NOW).stream().map(r -> r.withStepless(true)).toList();
  }

  private static Optional<String> said(List<PodView> pods, List<RankView> ranks) {
    return UnseenSteps.of(
        new JobSnapshot(job().view(), pods, nodes(), List.of(), ranks, List.of()));
  }

  @Test
  void shouldSayWhatToDoWhereLinesNameNoStep() {
    assertThat(said(PODS, stepless()).orElse(""))
        .startsWith("pod " + PODS.getFirst().name())
        .contains("rekindle.dev/step-pattern", "REKINDLE step 12");
  }

  @Test
  void shouldSayNothingWhereAnyRankIsHeard() {
    List<RankView> ranks = new ArrayList<>(stepless());
    ranks.set(0, Given.rank(PODS.getFirst(), 3L, NOW.minusSeconds(900), NOW));
    assertThat(said(PODS, ranks)).isEmpty();
  }

  private static List<RankView> silent() {
    return Given.ranks(PODS, null, null, NOW).stream().map(r -> r.withSilent(true)).toList();
  }

  @Test
  void shouldSayWhatToDoWhereNoPodPrintsAnything() {
    assertThat(said(PODS, silent()).orElse(""))
        .startsWith("no pod of the job has printed anything for 10 minutes")
        .contains("PYTHONUNBUFFERED", "REKINDLE step 12");
  }

  /** One may print for all, and be about to. */
  @Test
  void shouldSayNothingOfSilenceWhereOnePodIsNotKnownToBeSilent() {
    List<RankView> ranks = new ArrayList<>(silent());
    ranks.set(0, ranks.getFirst().withSilent(false));
    assertThat(said(PODS, ranks)).isEmpty();
    assertThat(said(PODS, silent().subList(1, PODS.size()))).isEmpty();
  }

  @Test
  void shouldSpeakOfTheLinesWhereOthersPrintNone() {
    List<RankView> ranks = new ArrayList<>(silent());
    ranks.set(0, ranks.getFirst().withSilent(false).withStepless(true));
    assertThat(said(PODS, ranks).orElse("")).startsWith("pod " + PODS.getFirst().name());
  }

  @Test
  void shouldSayNothingWhereItIsNotKnownOrTheGangIsNotComplete() {
    assertThat(said(PODS, Given.ranks(PODS, null, null, NOW))).isEmpty();
    assertThat(said(PODS.subList(1, PODS.size()), stepless())).isEmpty();
  }

  @Test
  void shouldSayNothingToAJobThatDidNotOptIn() {
    var s =
        new JobSnapshot(
            job().view().withOptIn(new OptIn.No()),
            PODS,
            nodes(),
            List.of(),
            stepless(),
            List.of());
    assertThat(UnseenSteps.of(s)).isEmpty();
  }
}
