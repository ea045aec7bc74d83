package dev.rekindle.testbed.fidelity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.GangScheduling;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.PodView.Phase;
import dev.rekindle.detect.node.PodDevices;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ObservationTest {
  private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");

  @Test
  void shouldReportEachStateOnceAndNothingOfUidsAndTimes() {
    assertThat(
            Observation.of(
                    List.of("a note"),
                    List.of(
                        seen(0, 1, "x", null, false),
                        seen(1, 2, "x", null, false),
                        seen(2, 3, "x", 4L, false),
                        seen(7, 4, "x", 4L, true),
                        seen(8, 9, "y", null, false)))
                .lines())
        .containsExactly(
            "a note",
            "pod a-worker-0 #1: running > running, deleted with 4 s > gone after its grace period",
            "pod a-worker-0 #2: running");
  }

  @Test
  void shouldReportWhetherThePodWasGivenItsGracePeriod() {
    assertThat(ended(5)).endsWith("gone before its grace period was over");
    assertThat(ended(10)).endsWith("gone after its grace period");
    assertThat(ended(20)).endsWith("gone long after its grace period");
  }

  private static String ended(int seconds) {
    return Observation.of(
            List.of(), List.of(seen(0, 1, "x", 10L, false), seen(seconds, 2, "x", 0L, true)))
        .lines()
        .getFirst();
  }

  @Test
  void shouldGoByThePodsOwnTimesWhereAWatchIsLate() {
    assertThat(
            Observation.of(
                    List.of(),
                    List.of(
                        seen(0, 1, "x", 10L, false),
                        exited(19, 2, "x", 10L, 10),
                        seen(20, 3, "x", 0L, true)))
                .lines()
                .getFirst())
        .endsWith("gone after its grace period");
    assertThat(
            Observation.of(
                    List.of(),
                    List.of(
                        seen(0, 1, "x", 10L, false),
                        exited(11, 2, "x", 10L, 5),
                        seen(12, 3, "x", 0L, true)))
                .lines()
                .getFirst())
        .endsWith("gone before its grace period was over");
  }

  @Test
  void shouldReportAForcedEnd() {
    assertThat(
            Observation.of(
                    List.of(),
                    List.of(
                        seen(0, 1, "x", null, false),
                        seen(1, 2, "x", 0L, false),
                        seen(1, 3, "x", 0L, true)))
                .lines())
        .containsExactly("pod a-worker-0 #1: running > gone at once");
  }

  @Test
  void shouldReportWhereAWatchBreaksItsPromises() {
    assertThat(
            Observation.of(
                    List.of(), List.of(seen(0, 5, "x", null, false), seen(1, 4, "x", null, false)))
                .lines()
                .getFirst())
        .contains("OUT OF ORDER");
    assertThat(
            Observation.of(
                    List.of(), List.of(seen(0, 5, "x", null, false), seen(1, 4, "y", null, false)))
                .lines()
                .getLast())
        .as("a successor from before the end")
        .contains("OUT OF ORDER");
    assertThat(
            Observation.of(
                    List.of(), List.of(seen(0, 5, "x", 0L, true), seen(1, 6, "x", null, false)))
                .lines()
                .getFirst())
        .contains("SEEN AFTER ITS END");
  }

  @Test
  void shouldTakeTheEndOfAContainerAndThatOfItsPodForOne() {
    ObjectVersion exited = seen(1, 2, "x", null, T0.plusSeconds(1), false);
    PodView over = Objects.requireNonNull(exited.pod()).withPhase(Phase.SUCCEEDED);
    ObjectVersion ended = ObjectVersion.of(T0.plusSeconds(2), 3, "a", over, false);

    assertThat(Observation.of(List.of(), List.of(seen(0, 1, "x", null, false), exited, ended)))
        .isEqualTo(Observation.of(List.of(), List.of(seen(0, 1, "x", null, false), ended)));
    assertThat(Observation.of(List.of(), List.of(exited)).lines())
        .containsExactly("pod a-worker-0 #1: running, has exited");
  }

  @Test
  void shouldTakeARestartAtOnceForOneWhoseEndWasReported() {
    ObjectVersion runs = seen(0, 1, "x", null, false);
    ObjectVersion exited = seen(1, 2, "x", null, T0.plusSeconds(1), false);
    PodView pod = Objects.requireNonNull(runs.pod());
    ObjectVersion restarted =
        ObjectVersion.of(T0.plusSeconds(2), 3, "a", pod.withReady(true).withRestarts(1), false);

    assertThat(Observation.of(List.of(), List.of(runs, exited, restarted)))
        .isEqualTo(Observation.of(List.of(), List.of(runs, restarted)));
    assertThat(Observation.of(List.of(), List.of(runs, restarted)).lines())
        .containsExactly("pod a-worker-0 #1: running > running, ready, restarts 1");
  }

  @Test
  void shouldShowBothWhereTheyDiffer() {
    assertThat(
            new Observation(List.of("same", "one"))
                .beside("real", new Observation(List.of("same", "two", "more")), "simulated"))
        .isEqualTo(
            """
                      same
            real      one
            simulated two
            real      -
            simulated more
            """);
  }

  private static ObjectVersion seen(
      int second, long version, String uid, @Nullable Long grace, boolean gone) {
    return seen(second, version, uid, grace, null, gone);
  }

  private static ObjectVersion exited(int second, long version, String uid, Long grace, int exit) {
    return seen(second, version, uid, grace, T0.plusSeconds(exit), false);
  }

  private static ObjectVersion seen(
      int second,
      long version,
      String uid,
      @Nullable Long grace,
      @Nullable Instant exit,
      boolean gone) {
    Instant at = T0.plusSeconds(second);
    PodView pod =
        new PodView(
            new JobKey("n", "a"),
            "a-worker-0",
            uid,
            "job",
            "worker",
            0,
            "node",
            Phase.RUNNING,
            false,
            30,
            grace,
            grace == null ? null : at.plus(Duration.ofSeconds(grace)),
            "",
            0,
            exit,
            null,
            T0,
            0,
            PodDevices.UNKNOWN,
            "",
            Amounts.NONE,
            GangScheduling.Group.NONE,
            List.of());
    return ObjectVersion.of(at, version, "a", pod, gone);
  }
}
