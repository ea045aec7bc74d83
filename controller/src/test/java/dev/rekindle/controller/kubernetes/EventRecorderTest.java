package dev.rekindle.controller.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.Reason;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class EventRecorderTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00.5Z");

  private static Event event(String note, Reason reason) {
    return EventRecorder.event(
        new ClusterEvent(new JobKey("team", "mnist"), "u1", reason, note, "n1"), "pod-0", NOW);
  }

  @Test
  void shouldFillEveryFieldThatTheApiRequests() {
    Event event = event("Node n1 was cordoned.", Reason.NODE_FENCED);
    assertThat(event.getMetadata().getNamespace()).isEqualTo("team");
    assertThat(event.getMetadata().getName()).startsWith("mnist.").matches("[-a-z0-9.]{1,253}");
    assertThat(event.getEventTime().getTime()).isEqualTo("2026-01-01T00:00:00.500000Z");
    assertThat(event.getType()).isEqualTo("Warning");
    assertThat(event.getReason()).isEqualTo("NodeFenced");
    assertThat(event.getAction()).isEqualTo("Fence");
    assertThat(event.getRegarding().getKind()).isEqualTo("PyTorchJob");
    assertThat(event.getRegarding().getUid()).isEqualTo("u1");
    assertThat(event.getRelated().getName()).isEqualTo("n1");
    assertThat(event.getReportingController()).isEqualTo("rekindle.dev/controller");
    assertThat(event.getReportingInstance()).isEqualTo("pod-0");
  }

  @Test
  void shouldHaveOneNameForOneThingSaid() {
    String name = event("a", Reason.NODE_FENCED).getMetadata().getName();
    assertThat(event("a", Reason.NODE_FENCED).getMetadata().getName()).isEqualTo(name);
    assertThat(event("b", Reason.NODE_FENCED).getMetadata().getName()).isNotEqualTo(name);
    assertThat(event("a", Reason.NODE_RELEASED).getMetadata().getName()).isNotEqualTo(name);
  }

  @Test
  void shouldCutANoteBetweenCharacters() {
    String note = event("é".repeat(600) + "😀".repeat(100), Reason.NODE_FENCED).getNote();
    assertThat(note.getBytes(StandardCharsets.UTF_8)).hasSize(1024);
    assertThat(event("é" + "😀".repeat(400), Reason.NODE_FENCED).getNote())
        .isEqualTo("é" + "😀".repeat(255));
  }
}
