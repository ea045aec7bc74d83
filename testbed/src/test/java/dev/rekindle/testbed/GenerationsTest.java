package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.Watcher.Action;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class GenerationsTest {
  @Test
  void shouldSplitWhereNoPodExisted() {
    assertThat(
            Generations.of(
                List.of(
                    seen(1, Action.ADDED, "a", ""),
                    seen(2, Action.ADDED, "b", ""),
                    seen(3, Action.DELETED, "a", ""),
                    seen(4, Action.DELETED, "b", ""),
                    seen(5, Action.ADDED, "c", "r1-1"))))
        .hasSize(2)
        .first()
        .satisfies(
            g -> {
              assertThat(g.uids()).containsExactly("a", "b");
              assertThat(g.from()).isEqualTo(1);
              assertThat(g.until()).isEqualTo(4);
            });
  }

  @Test
  void shouldReportTwoAttemptsThatExistedTogether() {
    assertThat(
            Generations.of(
                List.of(
                    seen(1, Action.ADDED, "a", ""),
                    seen(2, Action.ADDED, "b", ""),
                    seen(3, Action.DELETED, "a", ""),
                    seen(4, Action.ADDED, "c", "r1-1"),
                    seen(5, Action.DELETED, "b", ""))))
        .singleElement()
        .satisfies(
            g -> {
              assertThat(g.attempts()).containsExactly("", "r1-1");
              assertThat(g.until()).isEqualTo(Long.MAX_VALUE);
            });
  }

  private static Recorder.ObjectVersion<Pod> seen(
      long revision, Action action, String uid, String attempt) {
    Pod pod =
        new PodBuilder()
            .withNewMetadata()
            .withUid(uid)
            .addToAnnotations("rekindle.dev/attempt", attempt)
            .endMetadata()
            .build();
    return new Recorder.ObjectVersion<>(revision, Instant.EPOCH, action, pod);
  }
}
