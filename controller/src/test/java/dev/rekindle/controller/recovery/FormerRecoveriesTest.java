package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.HistoryLimits;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.RecoveryView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FormerRecoveriesTest {
  private static final JobKey KEY = new JobKey("team", "llm");
  private static final HistoryLimits LIMITS = new HistoryLimits(Duration.ofDays(30), 3, 5);
  private static final Instant NOW = T0.plus(Duration.ofDays(100));

  private static RecoveryView ended(String job, int number, Instant at) {
    return new RecoveryView(
        "team",
        job + "-r" + number,
        job + number,
        "1",
        new RecoverySpec(JobRef.pyTorchJob(job, "gone"), at, null),
        new RecoveryStatus(
            RecoveryPhase.RECOVERED, at, 1, null, null, null, null, List.of(), List.of()));
  }

  private static List<String> gone(List<RecoveryView> former) {
    return FormerRecoveries.superfluous(KEY, former, LIMITS, NOW).stream()
        .map(RecoveryView::name)
        .toList();
  }

  private static Instant daysAgo(int days) {
    return NOW.minus(Duration.ofDays(days));
  }

  @Test
  void shouldKeepWhatIsWithinAllLimits() {
    assertThat(gone(List.of(ended("llm", 1, daysAgo(29)), ended("llm", 2, daysAgo(1))))).isEmpty();
  }

  @Test
  void shouldDeleteWhatIsTooOldOfAnyJobOfTheNamespaceOldestFirst() {
    assertThat(
            gone(
                List.of(
                    ended("llm", 2, daysAgo(31)),
                    ended("llm", 1, daysAgo(40)),
                    ended("llm", 3, daysAgo(2)))))
        .containsExactly("llm-r1", "llm-r2");
  }

  @Test
  void shouldDeleteTheOldestOfMoreThanAJobMayHave() {
    List<RecoveryView> five =
        IntStream.rangeClosed(1, 5).mapToObj(i -> ended("llm", i, daysAgo(20 - i))).toList();
    assertThat(gone(five)).containsExactly("llm-r1", "llm-r2");
  }

  @Test
  void shouldDeleteTheOldestOfMoreThanANamespaceMayHaveHoweverManyNamesItHas() {
    List<RecoveryView> many =
        IntStream.range(0, 8).mapToObj(i -> ended("job" + i, 1, daysAgo(20 - i))).toList();
    assertThat(gone(many)).containsExactly("job0-r1", "job1-r1", "job2-r1");
  }

  @Test
  void shouldDeleteNothingThatEndedLatelyNotEvenByAClockThatWasSetBack() {
    List<RecoveryView> lately =
        IntStream.range(0, 9)
            .mapToObj(i -> ended("llm", i, NOW.plusSeconds(i * 60L - 240)))
            .toList();
    assertThat(gone(lately)).isEmpty();
  }

  @Test
  void shouldCheckAgainWhenTheOldestIsTooOldAndNeitherOftenNorNever() {
    assertThat(again(ended("llm", 1, daysAgo(1)))).hasValue(Duration.ofHours(12));
    assertThat(again(ended("llm", 1, daysAgo(30).plusSeconds(600))))
        .hasValue(Duration.ofMinutes(10));
    assertThat(again(ended("llm", 1, daysAgo(400)))).hasValue(Duration.ofMinutes(1));
    assertThat(again(ended("other", 1, daysAgo(1)))).isEmpty();
  }

  private static Optional<Duration> again(RecoveryView... former) {
    return FormerRecoveries.again(KEY, Stream.of(former).toList(), LIMITS, NOW);
  }
}
