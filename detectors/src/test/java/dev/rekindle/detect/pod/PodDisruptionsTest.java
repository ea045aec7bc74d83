package dev.rekindle.detect.pod;

import static dev.rekindle.detect.pod.PodFailure.Kind.NODE_LOST;
import static dev.rekindle.detect.pod.PodFailure.Kind.SIGNAL;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pods that are disrupted, deleted or have no place. */
class PodDisruptionsTest extends PodFailuresFixture {
  @ParameterizedTest
  @CsvSource({
    "PreemptionByScheduler,PREEMPTED",
    "EvictionByEvictionAPI,PREEMPTED",
    "DeletionByTaintManager,NODE_LOST",
    "DeletionByDeviceTaintManager,EVICTED",
    "DeletionByPodGC,NODE_LOST",
    "TerminationByKubelet,EVICTED"
  })
  void shouldReadKindWhenPodIsDisrupted(String reason, PodFailure.Kind kind) {
    var found =
        failure(
            pod(
                """
                {"conditions":[{"type":"DisruptionTarget","status":"True","reason":"%s","message":"m",
                "lastTransitionTime":"2026-01-01T00:00:01Z"}]}
                """
                    .formatted(reason)));
    assertThat(found.kind()).isEqualTo(kind);
    assertThat(found.evidence()).contains(reason).endsWith(": m");
    assertThat(found.since()).isEqualTo(Instant.parse("2026-01-01T00:00:01Z"));
  }

  @ParameterizedTest
  @CsvSource({
    "Evicted,EVICTED",
    "NodeShutdown,EVICTED",
    "NodeLost,NODE_LOST",
    "Preempting,PREEMPTED",
    "UnexpectedAdmissionError,START_ERROR",
    "OutOfnvidia.com/gpu,START_ERROR"
  })
  void shouldReadKindWhenPodFailedAsAWhole(String reason, PodFailure.Kind kind) {
    assertThat(
            failure(
                    pod(
                        "{\"phase\":\"Failed\",\"reason\":\"%s\",\"message\":\"m\"}"
                            .formatted(reason)))
                .kind())
        .isEqualTo(kind);
  }

  @Test
  void shouldSayWhyWhenNoNodeTakesThePod() {
    var found =
        failure(
            pod(
                """
                {"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable",
                "message":"0/4 nodes"}]}
                """));
    assertThat(found.kind()).isEqualTo(PodFailure.Kind.UNSCHEDULABLE);
    assertThat(found.evidence()).isEqualTo("no node takes the pod: 0/4 nodes");
  }

  @Test
  void shouldNotBlameContainerWhenItEndedAfterDeletionWasAsked() {
    // Asked at 00:00:05 with 30 s of grace; the container ended at 00:00:10.
    var ended = container("Running", "\"state\":" + DONE.formatted(137, "Error"));
    assertThat(PodFailures.classify(deleted(ended, "2026-01-01T00:00:35Z"))).isEmpty();
    // Asked at 00:00:11: the container was dead before that.
    assertThat(failure(deleted(ended, "2026-01-01T00:00:41Z")).kind()).isEqualTo(SIGNAL);
  }

  private static Pod deleted(Pod pod, String deletionTimestamp) {
    return new PodBuilder(pod)
        .editMetadata()
        .withDeletionTimestamp(deletionTimestamp)
        .withDeletionGracePeriodSeconds(30L)
        .endMetadata()
        .build();
  }

  @Test
  void shouldCutEvidenceWhenMessageIsLong() {
    var found =
        failure(
            pod(
                "{\"phase\":\"Failed\",\"reason\":\"NodeLost\",\"message\":\"%s\"}"
                    .formatted("x".repeat(5_000))));
    assertThat(found.kind()).isEqualTo(NODE_LOST);
    assertThat(found.evidence()).hasSize(512);
  }
}
