package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.failed;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.nodes;
import static dev.rekindle.controller.diagnosis.JobSnapshots.NOW;
import static dev.rekindle.controller.diagnosis.JobSnapshots.decide;
import static dev.rekindle.controller.diagnosis.JobSnapshots.drained;
import static dev.rekindle.controller.diagnosis.JobSnapshots.reason;
import static dev.rekindle.controller.diagnosis.JobSnapshots.stepping;
import static dev.rekindle.controller.diagnosis.JobSnapshots.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus.Evidence;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RecoveryView;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Pods that ended for good, and jobs that the operator has failed. */
class FailedJobsTest {
  @ParameterizedTest
  @EnumSource(
      value = RestartPolicy.class,
      names = {"NEVER", "EXIT_CODE"})
  void shouldRecoverAtOnceWhenAPodEndedPermanently(RestartPolicy policy) {
    List<PodView> pods = with(gang("a"), 1, failed(gang("a").get(1), NOW, "exit code 137"));

    Verdict verdict = decide(job().restart(policy), pods, List.of(), stepping(pods));

    assertThat(reason(verdict)).isEqualTo("PodFailed");
    assertThat(((Verdict.Recover) verdict).cause().faultyNodes()).isEmpty();
  }

  /** Peers end because of it, and which of them was created first says nothing. */
  @Test
  void shouldSayOfTheFirstToEndWhyTheGangFailed() {
    PodView cause = failed(gang("a").get(2), NOW.minusSeconds(3), "exit code 16");
    List<PodView> pods =
        with(
            with(gang("a"), 1, failed(gang("a").get(1), NOW.minusSeconds(1), "exit code 1")),
            2,
            cause.withCreated(cause.created().plusSeconds(60)));

    Verdict verdict =
        decide(job().restart(RestartPolicy.NEVER), pods, List.of(), stepping(gang("a")));

    assertThat(((Verdict.Recover) verdict).cause().message())
        .contains("first to fail: pod demo-worker-1", "exit code 16");
  }

  @Test
  void shouldRecoverAJobThatTheOperatorHasFailed() {
    List<PodView> pods = with(gang("a"), 1, failed(gang("a").get(1), NOW, "exit code 1"));
    Given.Job job = job().restart(RestartPolicy.NEVER).failed(NOW, "1 Worker replica(s) failed");

    assertThat(reason(decide(job, pods, List.of(), stepping(pods)))).isEqualTo("JobFailed");
  }

  @Test
  void shouldGiveTheOperatorsWordWhereTheFailedPodIsNotSeen() {
    Given.Job job =
        job()
            .restart(RestartPolicy.NEVER)
            .failed(NOW.minusSeconds(2), "1 Worker replica(s) failed");

    Verdict behind = decide(job, gang("a"), List.of(), stepping(gang("a")));
    assertThat(((Verdict.Recover) behind).cause().evidence())
        .containsExactly(new Evidence("", "", "1 Worker replica(s) failed"));

    List<PodView> pods = with(gang("a"), 1, failed(gang("a").get(1), NOW, "exit code 1"));
    assertThat(((Verdict.Recover) decide(job, pods, List.of(), stepping(pods))).cause().evidence())
        .containsExactly(
            new Evidence("node-1", "demo-worker-0", "exit code 1"),
            new Evidence("", "", "1 Worker replica(s) failed"));
  }

  @ParameterizedTest
  @CsvSource({"0, 2000", "1999, 1", "2000, 0", "-1, 0", "-3600000, 0"})
  void shouldWaitAMomentForThePodThatFailed(long millisAgo, long wait) {
    Given.Job job =
        job().restart(RestartPolicy.NEVER).failed(NOW.minusMillis(millisAgo), "1 Worker failed");

    Verdict behind = decide(job, gang("a"), List.of(), stepping(gang("a")));
    if (wait > 0) {
      assertThat(behind)
          .isEqualTo(
              new Verdict.Watch("the pod that failed is not seen yet", NOW.plusMillis(wait)));
    } else {
      assertThat(reason(behind)).isEqualTo("JobFailed");
    }
    List<PodView> pods = with(gang("a"), 1, failed(gang("a").get(1), NOW, "exit code 1"));
    assertThat(reason(decide(job, pods, List.of(), stepping(pods)))).isEqualTo("JobFailed");
  }

  static Stream<Arguments> failedJobs() {
    Given.Job plain = job().failed(T0, "1 Worker replica(s) failed");
    return Stream.of(
        argumentSet("in time", plain, 600, List.of(), Verdict.Recover.class),
        argumentSet("too long ago", plain, 601, List.of(), Verdict.Refuse.class),
        argumentSet("a day later", plain, 601 + 86_400, List.of(), Verdict.NoAction.class),
        argumentSet(
            "a recovery was at it since, by a clock that may be set right",
            plain,
            601,
            List.of(drained("demo-r1", T0, 1)),
            Verdict.Watch.class),
        argumentSet(
            "a recovery was cancelled since, as the job named no policy that is there",
            plain,
            601,
            List.of(cancelled("demo-r1")),
            Verdict.Refuse.class),
        argumentSet(
            "a recovery gave it up in time for another, which could not be stored",
            plain,
            601,
            List.of(gaveUp("demo-r1", T0.plusSeconds(599))),
            Verdict.Refuse.class),
        argumentSet(
            "a recovery gave it up when it was too late for another",
            plain,
            601,
            List.of(gaveUp("demo-r1", T0.plusSeconds(600))),
            Verdict.Watch.class),
        argumentSet(
            "a recovery was at it by a clock that was ahead, maybe before it failed",
            plain,
            601,
            List.of(drained("demo-r1", T0, 1, T0.plusSeconds(1_350))),
            Verdict.Refuse.class),
        argumentSet(
            "a recovery was at it since, a day ago",
            plain,
            601 + 86_400,
            List.of(drained("demo-r1", T0, 1)),
            Verdict.NoAction.class),
        argumentSet(
            "to be observed only",
            job().failed(T0, "").optIn(new OptIn.Yes(Mode.OBSERVE)),
            601,
            List.of(),
            Verdict.NoAction.class));
  }

  private static RecoveryView cancelled(String name) {
    RecoveryView over = drained(name, T0, 1);
    return over.with(Objects.requireNonNull(over.status()).withPhase(RecoveryPhase.CANCELLED));
  }

  private static RecoveryView gaveUp(String name, Instant at) {
    RecoveryView over = drained(name, T0, 1, at);
    return over.with(Objects.requireNonNull(over.status()).withPhase(RecoveryPhase.FAILED));
  }

  @ParameterizedTest
  @MethodSource("failedJobs")
  void shouldReportThatAJobFailedTooLongAgo(
      Given.Job job,
      int seconds,
      List<RecoveryView> recoveries,
      Class<? extends Verdict> expected) {
    JobSnapshot s =
        new JobSnapshot(job.view(), List.of(), nodes(), List.of(), List.of(), recoveries);

    Verdict verdict = JobVerdicts.decide(s, Policy.DEFAULT, T0.plusSeconds(seconds));

    assertThat(verdict).isInstanceOf(expected);
    if (verdict instanceof Verdict.Refuse(Reason reason, String message)) {
      assertThat(reason).isEqualTo(Reason.REVIVAL_EXPIRED);
      assertThat(message).contains("601 s ago", "600 s", "1 Worker replica(s) failed");
    }
  }

  /** It may have opted in since it failed (seed 91001133). */
  @ParameterizedTest
  @CsvSource({"601, true", "86400, true", "87001, false"})
  void shouldSayOfAJobThatIsNotOursWhyItIsAsLongAsThatIsNews(int seconds, boolean said) {
    JobView job = job().failed(T0, "").notOurs("Kueue owns the job.").view();
    JobSnapshot s = new JobSnapshot(job, List.of(), nodes(), List.of(), List.of(), List.of());

    Verdict verdict = JobVerdicts.decide(s, Policy.DEFAULT, T0.plusSeconds(seconds));

    assertThat(verdict)
        .isEqualTo(
            said
                ? new Verdict.Refuse(Reason.MANAGED_EXTERNALLY, "Kueue owns the job.")
                : new Verdict.NoAction("failed too long ago"));
  }
}
