package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RecoveryView;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RecoveryNamesTest {
  static Stream<Arguments> histories() {
    List<PodView> plain = gang("");
    return Stream.of(
        argumentSet("the first", job(), plain, List.of(), "demo-r1"),
        argumentSet("after others", job(), plain, had("demo-r9", "demo-r10"), "demo-r11"),
        argumentSet("deleted, its pods run", job(), gang("demo-r1-1"), List.of(), "demo-r2"),
        argumentSet(
            "deleted, its template stays",
            job().attempt("demo-r3-2"),
            List.of(),
            had("demo-r1"),
            "demo-r4"),
        argumentSet(
            "deleted, its suspension stays",
            job().suspended("demo-r4", true).attempt("demo-r3-1"),
            List.of(),
            List.of(),
            "demo-r5"),
        argumentSet(
            "annotations with numbers that leave none to follow",
            job().suspended("demo-r1000000", true).attempt("demo-r2147483647-1"),
            gang("demo-r999999999-1"),
            had("demo-r2"),
            "demo-r3"),
        argumentSet(
            "the largest number of an annotation",
            job().attempt("demo-r999999-1"),
            plain,
            had("demo-r2", "demo-r1000004"),
            "demo-r1000005"),
        argumentSet(
            "numbers that are written otherwise",
            job().attempt("demo-r+7-1"),
            gang("demo-r-7-1"),
            had("demo-r007"),
            "demo-r1"),
        argumentSet(
            "nothing of ours",
            job().attempt("demo-rerun-7"),
            gang("other-r7-1"),
            had("demo-rest", "demo2-r7"),
            "demo-r1"));
  }

  @ParameterizedTest
  @MethodSource("histories")
  void shouldNotUseANameTwice(
      Given.Job job, List<PodView> pods, List<RecoveryView> recoveries, String name) {
    assertThat(RecoveryNames.next(job.view(), pods, recoveries)).isEqualTo(name);
  }

  private static List<RecoveryView> had(String... names) {
    Cause cause = new Cause("Stalled", "", List.of(), List.of(), List.of(), List.of(), null);
    return Stream.of(names)
        .map(name -> Given.recovery(name, T0, RecoveryStatusBuilder.begin(cause, List.of(), T0)))
        .toList();
  }
}
