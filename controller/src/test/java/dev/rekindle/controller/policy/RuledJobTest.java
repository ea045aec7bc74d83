package dev.rekindle.controller.policy;

import static dev.rekindle.controller.Given.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.controller.Policies;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class RuledJobTest {
  static final String HERE = job().view().key().namespace();

  static Stream<Arguments> policies() {
    String grant = "mode: auto\nnamespaces: [other, %s]".formatted(HERE);
    return Stream.of(
        argumentSet("default", "default", "{}", null, Mode.AUTO),
        argumentSet("default observes", "default", "mode: observe", null, Mode.OBSERVE),
        argumentSet("default is gone", "default", null, null, Mode.OBSERVE),
        argumentSet("a stricter one", "own", "{}", "mode: approve", Mode.APPROVE),
        argumentSet("a laxer one", "own", "mode: observe", "mode: auto", Mode.OBSERVE),
        argumentSet(
            "a laxer one for others", "own", "mode: observe", "namespaces: [other]", Mode.OBSERVE),
        argumentSet("a laxer one for it", "own", "mode: observe", grant, Mode.AUTO),
        argumentSet("default is gone, a grant is left", "own", null, grant, Mode.OBSERVE));
  }

  @ParameterizedTest
  @MethodSource("policies")
  void shouldGoNoFurtherThanThePolicyLetsTheJob(
      String name, @Nullable String bound, @Nullable String named, Mode mode) {
    JobView asked = job().view().withPolicy(name);

    RuledJob ruled = rule(asked, bound, named);

    assertThat(ruled.job()).isEqualTo(asked.withOptIn(new OptIn.Yes(mode)));
    assertThat(ruled.policy().mode()).isEqualTo(mode);
    assertThat(rule(ruled.job(), bound, named)).isEqualTo(ruled);
    assertThat(ruled.note().isEmpty()).isEqualTo(bound != null);
  }

  /** Who pauses the policy default wants all to stand, grants or not. */
  @ParameterizedTest
  @CsvSource({
    "default, true, false, true",
    "own, true, false, true",
    "own, false, true, true",
    "own, false, false, false"
  })
  void shouldPauseWithThePolicyDefault(
      String name, boolean ofAll, boolean ofItsOwn, boolean paused) {
    String own = "namespaces: [%s]\npaused: %s".formatted(HERE, ofItsOwn);

    RuledJob ruled = rule(job().view().withPolicy(name), "paused: " + ofAll, own);

    assertThat(ruled.policy().paused()).isEqualTo(paused);
  }

  @Test
  void shouldNotActForAJobThatNamesAPolicyThatDoesNotExist() {
    List<String> names = IntStream.range(0, 20).mapToObj(i -> "p-" + (char) ('t' - i)).toList();
    JobView asked = job().view().withPolicy("glod");

    RuledJob ruled = RuledJob.of(asked, Optional.of(Policy.DEFAULT), Optional.empty(), names);

    assertThat(ruled.job().optIn())
        .isEqualTo(
            new OptIn.UnknownPolicy(
                "there is no RecoveryPolicy glod; there are: p-a, p-b, p-c, p-d, p-e, p-f, p-g,"
                    + " p-h, and 12 more"));
    assertThat(ruled.job().optIn().optedOut()).contains("glod");
  }

  @Test
  void shouldNameThePolicyThatExistsAndCannotBeUsed() {
    JobView asked = job().view().withPolicy("gold");

    RuledJob ruled =
        RuledJob.of(
            asked, Optional.of(Policy.DEFAULT), Optional.empty(), List.of("default", "gold"));

    assertThat(ruled.job().optIn())
        .isEqualTo(
            new OptIn.UnknownPolicy(
                "RecoveryPolicy gold is not accepted: see its condition Accepted"));
  }

  static Stream<Arguments> notYes() {
    return Stream.of(
        argumentSet("not opted in", new OptIn.No()),
        argumentSet("unusable", new OptIn.Unusable("annotation")));
  }

  @ParameterizedTest
  @MethodSource("notYes")
  void shouldOptNoJobIn(OptIn asked) {
    JobView job = job().optIn(asked).view();
    assertThat(rule(job, "{}", null).job()).isEqualTo(job);
    assertThat(rule(job.withPolicy("glod"), "{}", null).job().optIn()).isEqualTo(asked);
  }

  @Test
  void shouldSayThatNoPolicyIsSeenWhereThatIsWhyNothingIsDone() {
    RuledJob unseen = rule(job().view(), null, null);
    assertThat(unseen.noted(Reason.WOULD_RECOVER, "XID-79"))
        .isEqualTo(
            "XID-79; there is no usable RecoveryPolicy default, so everything is only observed");
    assertThat(unseen.noted(Reason.MANAGED_EXTERNALLY, "Kueue")).isEqualTo("Kueue");
    assertThat(rule(job().view(), "{}", null).noted(Reason.WOULD_RECOVER, "x")).isEqualTo("x");
  }

  private static RuledJob rule(JobView job, @Nullable String bound, @Nullable String named) {
    List<String> names =
        Stream.of(bound == null ? "" : "default", named == null ? "" : "own")
            .filter(n -> !n.isEmpty())
            .toList();
    return RuledJob.of(
        job,
        Optional.ofNullable(bound).map(Policies::ofYaml),
        Optional.ofNullable(job.policy().equals("default") ? bound : named).map(Policies::ofYaml),
        names);
  }
}
