package dev.rekindle.controller.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Seen on the testbed: the first pod of an inspector was ended by its node after a second. */
class InspectorPodsTest {
  private static final Pod FAILED = pod("a", "node-0", "2026-01-01T00:00:00Z", "Failed", false);
  private static final Pod DELETED = pod("b", "node-0", "2026-01-01T00:00:05Z", "Running", true);
  private static final Pod RUNNING = pod("c", "node-0", "2026-01-01T00:00:02Z", "Running", false);
  private static final Pod ELSEWHERE = pod("d", "node-1", "2026-01-01T00:00:09Z", "Running", false);

  private static Pod pod(String name, String node, String created, String phase, boolean going) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .withCreationTimestamp(created)
        .withDeletionTimestamp(going ? created : null)
        .endMetadata()
        .withNewSpec()
        .withNodeName(node)
        .endSpec()
        .withNewStatus()
        .withPhase(phase)
        .endStatus()
        .build();
  }

  @Test
  void shouldPreferAPodThatIsNotOver() {
    assertThat(InspectorPods.current(List.of(FAILED, DELETED, RUNNING))).hasValue(RUNNING);
    assertThat(InspectorPods.current(List.of(RUNNING, DELETED, FAILED))).hasValue(RUNNING);
  }

  @Test
  void shouldTakeTheNewestWhereAllAreOver() {
    assertThat(InspectorPods.current(List.of(FAILED, DELETED))).hasValue(DELETED);
    assertThat(InspectorPods.current(List.of())).isEmpty();
  }

  @Test
  void shouldTakeThePodOfTheNode() {
    List<Pod> pods = List.of(FAILED, ELSEWHERE, RUNNING);

    assertThat(InspectorPods.currentOn("node-0", pods)).hasValue(RUNNING);
    assertThat(InspectorPods.currentOn("node-1", pods)).hasValue(ELSEWHERE);
    assertThat(InspectorPods.currentOn("node-2", pods)).isEmpty();
  }
}
