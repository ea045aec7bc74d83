package dev.rekindle.simulator.drill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.GangScheduling;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.SpareWish;
import dev.rekindle.detect.node.PodDevices;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PodTallyTest {
  private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");

  private final PodTally tally = new PodTally();

  @Test
  void shouldSayNothingWhileTheFirstGenerationTrains() {
    assertThat(tally.observe(T0, job(false, ""), pods(4, "", true))).isEmpty();
  }

  @Test
  void shouldSayInOneLineWhatHappensTogetherAndAtOnceThatAllAreGone() {
    JobView suspended = job(true, "");
    assertThat(tally.observe(T0, suspended, pods(4, "", true))).isEmpty();
    assertThat(tally.observe(T0.plusMillis(100), suspended, pods(3, "", true))).isEmpty();
    assertThat(tally.observe(T0.plusMillis(200), suspended, pods(2, "", true))).isEmpty();
    assertThat(tally.observe(T0.plusMillis(700), suspended, pods(1, "", true)))
        .contains("3 of 4 pods gone");
    assertThat(tally.observe(T0.plusMillis(710), suspended, pods(0, "", true)))
        .contains("4 of 4 pods gone");
    assertThat(tally.observe(T0.plusMillis(9000), suspended, pods(0, "", true))).isEmpty();
  }

  @Test
  void shouldCountReadyPodsOfTheNewAttemptOnly() {
    tally.observe(T0, job(true, ""), pods(4, "", true));
    JobView resumed = job(false, "llm-r1-1");
    assertThat(tally.observe(T0.plusSeconds(1), resumed, pods(4, "", true))).isEmpty();
    assertThat(tally.observe(T0.plusSeconds(2), resumed, pods(4, "llm-r1-1", false))).isEmpty();
    assertThat(tally.observe(T0.plusSeconds(3), resumed, pods(4, "llm-r1-1", true)))
        .contains("4 of 4 pods Ready");
  }

  private static JobView job(boolean suspended, String attempt) {
    return new JobView(
        DrillSetup.JOB,
        "uid",
        new JobView.OptIn.No(),
        "default",
        "",
        true,
        null,
        List.of(new JobView.Replica("Worker", 4, JobView.RestartPolicy.NEVER, 8)),
        suspended,
        "",
        suspended,
        attempt,
        JobView.Finish.NOT_FINISHED,
        null,
        "",
        "",
        32,
        null,
        JobView.ResumeInjection.NOTHING,
        false,
        null,
        List.of(),
        List.of(),
        new GangScheduling.None(),
        false,
        false,
        false,
        SpareWish.NONE,
        false,
        false);
  }

  private static List<PodView> pods(int count, String attempt, boolean ready) {
    return IntStream.range(0, count)
        .mapToObj(
            i ->
                new PodView(
                    DrillSetup.JOB,
                    "llm-worker-" + i,
                    "uid-" + i,
                    "uid",
                    "worker",
                    i,
                    "node-" + i,
                    PodView.Phase.RUNNING,
                    ready,
                    30,
                    null,
                    null,
                    attempt,
                    0,
                    null,
                    null,
                    T0,
                    8,
                    PodDevices.UNKNOWN,
                    "",
                    Amounts.NONE,
                    GangScheduling.Group.NONE,
                    List.of()))
        .toList();
  }
}
