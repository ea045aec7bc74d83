package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.failed;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.nodes;
import static dev.rekindle.controller.Given.ranks;
import static dev.rekindle.controller.diagnosis.JobSnapshots.NOW;
import static dev.rekindle.controller.diagnosis.JobSnapshots.snapshot;
import static dev.rekindle.controller.diagnosis.JobSnapshots.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.FormerRun;
import dev.rekindle.api.RankReportStatus.Loss;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.api.TimelineEntry;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RecoveryView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What exit codes request, and gangs that have resumed into NaN. */
class ForbiddenRestartsTest {
  private static Verdict afterExit(int code) {
    PodView pod =
        failed(gang("").get(1), NOW, "exit")
            .withFailure(new PodView.Failure("ExitCode", false, "exit code " + code, code));
    List<PodView> pods = with(gang(""), 1, pod);
    return JobVerdicts.decide(
        snapshot(
            job().restart(RestartPolicy.NEVER),
            pods,
            List.of(),
            ranks(pods, 42L, NOW.minusSeconds(5), NOW),
            nodes()),
        Policy.DEFAULT,
        NOW);
  }

  @Test
  void shouldNeverRestartWhatRequestsThat() {
    assertThat(afterExit(93))
        .isInstanceOfSatisfying(
            Verdict.Refuse.class,
            refuse -> assertThat(refuse.reason()).isEqualTo(Reason.RESTART_FORBIDDEN));
  }

  @ParameterizedTest
  @CsvSource({"1, PodFailed", "16, RerunAsked", "17, ResultRejected"})
  void shouldRestartAndSayWhy(int code, String reason) {
    assertThat(afterExit(code))
        .isInstanceOfSatisfying(
            Verdict.Recover.class,
            recover -> {
              assertThat(recover.cause().reason()).isEqualTo(reason);
              assertThat(recover.cause().faultyNodes()).as("nothing is fenced").isEmpty();
              assertThat(recover.cause().evidence().getFirst().node()).isEqualTo("node-1");
            });
  }

  private static RecoveryView recovered(@Nullable Loss before) {
    return recovered(before, null);
  }

  private static RecoveryView recovered(@Nullable Loss before, @Nullable Boolean lossesDiffer) {
    Cause cause =
        new Cause("PodFailed", "", List.of(), List.of(), List.of(), List.of(), 42L)
            .with(
                b -> b.loss(before).before(new FormerRun(T0, T0, null, true, null, lossesDiffer)));
    RecoveryStatus status =
        new RecoveryStatus(
            RecoveryPhase.RECOVERED,
            T0.plusSeconds(60),
            1,
            null,
            cause,
            null,
            new Outcome(20L, 21L, null, null, null, Map.of()),
            List.of(new TimelineEntry(RecoveryPhase.VERIFYING, T0.plusSeconds(50), "")),
            List.of());
    return Given.recovery("demo-r1", T0, status);
  }

  private static Verdict training(@Nullable Loss before, @Nullable Loss since) {
    List<PodView> pods = gang("");
    List<RankView> ranks =
        ranks(pods, 42L, NOW.minusMillis(100), NOW).stream().map(r -> r.withLoss(since)).toList();
    return JobVerdicts.decide(
        JobSnapshots.with(pods, ranks, recovered(before)), Policy.DEFAULT, NOW);
  }

  /** Kubelets have started the containers again, and no recovery has pinned anything. */
  private static Verdict restarted(int run, long first, @Nullable Loss ofOne, Loss ofOthers) {
    List<PodView> pods = gang("").stream().map(p -> p.withRestarts(run)).toList();
    List<RankView> ranks =
        ranks(pods, 42L, NOW.minusMillis(100), NOW).stream()
            .map(
                r ->
                    r.withRestartCount(run)
                        .withFirstStep(first)
                        .withLoss(r.node().equals("node-0") ? ofOne : ofOthers))
            .toList();
    return JobVerdicts.decide(
        JobSnapshots.snapshot(job(), pods, List.of(), ranks, nodes()), Policy.DEFAULT, NOW);
  }

  @Test
  void shouldGoBackFromWhatKubeletsHaveRestartedIntoNaN() {
    Loss loss = new Loss(null, 3, 2.0);
    assertThat(restarted(1, 31, loss, loss))
        .isInstanceOfSatisfying(
            Verdict.Recover.class,
            recover -> {
              assertThat(recover.cause().reason()).isEqualTo(Cause.LOSS_NOT_FINITE);
              assertThat(recover.cause().beforeStep()).as("30 is no good").isEqualTo(30);
              assertThat(recover.cause().faultyNodes()).isEmpty();
            });
    assertThat(restarted(1, 31, null, loss)).as("one logs it").isInstanceOf(Verdict.Recover.class);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 31,    , 3, 2.0",
    "1,  1,    , 3, 2.0",
    "1, 31,    , 2, 2.0",
    "1, 31,    , 3,    ",
    "1, 31, 2.0, 3, 2.0",
  })
  void shouldLeaveOtherRestartsOfKubeletsAlone(
      int run, long first, @Nullable Double value, int notFinite, @Nullable Double before) {
    Loss loss = new Loss(value, notFinite, before);
    assertThat(restarted(run, first, loss, loss)).isNotInstanceOf(Verdict.Recover.class);
    assertThat(restarted(1, 31, new Loss(2.0, 0, 2.0), new Loss(null, 3, 2.0)))
        .as("one is finite")
        .isNotInstanceOf(Verdict.Recover.class);
  }

  @Test
  void shouldRecoverAGangThatHasResumedIntoNaN() {
    assertThat(training(new Loss(2.0, 0), new Loss(null, 3)))
        .isInstanceOfSatisfying(
            Verdict.Recover.class,
            recover -> {
              assertThat(recover.cause().reason()).isEqualTo(Cause.LOSS_NOT_FINITE);
              assertThat(recover.cause().message()).contains("the checkpoint of step 20");
            });
  }

  @ParameterizedTest
  @CsvSource({
    "2.0, 0,    , 2",
    "2.0, 0, 2.0, 9",
    "2.0, 1,    , 9",
    "   , 4,    , 9",
  })
  void shouldLeaveOthersAlone(
      @Nullable Double before, int notFiniteBefore, @Nullable Double value, int notFinite) {
    assertThat(training(new Loss(before, notFiniteBefore), new Loss(value, notFinite)))
        .isNotInstanceOf(Verdict.Recover.class);
  }

  @Test
  void shouldBelieveTheNumberOfARankWhoseContainerHasEndedSince() {
    List<PodView> pods = new ArrayList<>(gang(""));
    List<RankView> ranks =
        ranks(pods, 42L, NOW.minusMillis(100), NOW).stream()
            .map(r -> r.withLoss(isFirst(r, pods) ? new Loss(2.0, 0) : new Loss(null, 9)))
            .toList();
    pods.set(0, pods.getFirst().withRestarts(1));

    assertThat(
            JobVerdicts.decide(
                JobSnapshots.with(pods, ranks, recovered(new Loss(2.0, 0))), Policy.DEFAULT, NOW))
        .isNotInstanceOf(Verdict.Recover.class);
  }

  @Test
  void shouldSayWhetherTheRanksAgreeOnWhetherTheLossIsANumber() {
    assertThat(afterEndOfOne(new Loss(2.0, 0), new Loss(null, 9))).isTrue();
    assertThat(afterEndOfOne(new Loss(2.0, 0), new Loss(2.0, 0))).isNull();
    assertThat(afterEndOfOne(new Loss(null, 9), new Loss(null, 9))).isNull();
    assertThat(afterEndOfOne(new Loss(2.0, 0), null)).isNull();
  }

  private static @Nullable Boolean afterEndOfOne(Loss first, @Nullable Loss others) {
    List<PodView> pods = with(gang(""), 1, failed(gang("").get(1), NOW, "exit"));
    List<RankView> ranks =
        ranks(pods, 42L, NOW.minusSeconds(5), NOW).stream()
            .map(r -> r.withLoss(isFirst(r, pods) ? first : others))
            .toList();
    Verdict verdict =
        JobVerdicts.decide(
            snapshot(job().restart(RestartPolicy.NEVER), pods, List.of(), ranks, nodes()),
            Policy.DEFAULT,
            NOW);
    Cause cause = ((Verdict.Recover) verdict).cause();
    return Objects.requireNonNull(cause.before()).lossesDiffer();
  }

  /** The last stage of a pipeline alone may have a loss (seed 95045139). */
  @Test
  void shouldNotBelieveARankThatAlwaysPrintsNaNWhileAnotherIsNotHeard() {
    List<PodView> pods = gang("");
    List<RankView> all =
        ranks(pods, 42L, NOW.minusMillis(100), NOW).stream()
            .map(r -> r.withLoss(new Loss(null, 9)))
            .toList();
    List<RankView> some = all.stream().map(r -> isFirst(r, pods) ? r.withLoss(null) : r).toList();

    assertThat(decide(pods, some, true)).isNotInstanceOf(Verdict.Recover.class);
    assertThat(decide(pods, all, true)).isInstanceOf(Verdict.Recover.class);
    assertThat(decide(pods, some, null)).isInstanceOf(Verdict.Recover.class);
  }

  private static Verdict decide(
      List<PodView> pods, List<RankView> ranks, @Nullable Boolean lossesDiffer) {
    RecoveryView last = recovered(new Loss(2.0, 0), lossesDiffer);
    return JobVerdicts.decide(JobSnapshots.with(pods, ranks, last), Policy.DEFAULT, NOW);
  }

  private static boolean isFirst(RankView rank, List<PodView> pods) {
    return rank.podUid().equals(pods.getFirst().uid());
  }
}
