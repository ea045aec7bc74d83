package dev.rekindle.agent.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RankReport;
import dev.rekindle.detect.pod.TrainingContainer;
import dev.rekindle.detect.pod.TrainingPod;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Pods without end that name the node: its kubelet rejects them, or they end at once and stay. */
class CrowdedNodeTest extends ProgressFixture {
  private static TrainingPod crowd(int i, boolean finished) {
    return new TrainingPod(
        "other",
        "crowd-" + i,
        "%08d-cccc".formatted(i),
        "crowd",
        "crowd-uid",
        Instant.EPOCH.plusSeconds(i),
        false,
        finished,
        TrainingContainer.NONE,
        Set.of());
  }

  private int reports() {
    return crud.client.resources(RankReport.class).inAnyNamespace().list().getItems().size();
  }

  @Test
  void shouldWriteNoReportForAPodThatNeverRanHere() throws IOException {
    optIn();
    pods.clear();
    pods.add(pod("job-worker-1", "87654321-aaaa", true));
    loop.tick();
    tickAfter(Duration.ofMinutes(1));
    assertThat(reports()).isZero();
  }

  @Test
  void shouldFollowFewOfThePodsThatHaveEndedAndTheOneThatTrains() throws IOException {
    optIn();
    print(0, "step 1");
    for (int i = 0; i < 2_000; i++) {
      pods.addFirst(crowd(i, true));
      pods.addFirst(crowd(10_000 + i, false));
    }
    job("other", "crowd", Map.of("rekindle.dev/recover", "true"), Map.of());
    loop.tick();

    assertThat(loop.followed()).isEqualTo(PodSelection.LIVE + PodSelection.FINISHED_OF_NAMESPACE);
    assertThat(status().lastStep()).isEqualTo(1);
  }
}
