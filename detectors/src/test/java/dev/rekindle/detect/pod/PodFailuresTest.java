package dev.rekindle.detect.pod;

import static dev.rekindle.detect.pod.PodFailure.Kind.CRASH_LOOP;
import static dev.rekindle.detect.pod.PodFailure.Kind.EVICTED;
import static dev.rekindle.detect.pod.PodFailure.Kind.EXIT_CODE;
import static dev.rekindle.detect.pod.PodFailure.Kind.OOM_KILLED;
import static dev.rekindle.detect.pod.PodFailure.Kind.START_ERROR;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Containers that end or wait. */
class PodFailuresTest extends PodFailuresFixture {
  @ParameterizedTest
  @CsvSource({
    "1,Error,EXIT_CODE,-1,ended with exit code 1",
    "127,Error,EXIT_CODE,-1,ended with exit code 127",
    "128,Error,EXIT_CODE,-1,ended with exit code 128",
    "255,Error,EXIT_CODE,-1,ended with exit code 255",
    "137,Error,SIGNAL,9,'ended by SIGKILL, exit code 137'",
    "139,Error,SIGNAL,11,'ended by SIGSEGV, exit code 139'",
    "143,Error,SIGNAL,15,'ended by SIGTERM, exit code 143'",
    "163,Error,SIGNAL,35,'ended by signal 35, exit code 163'",
    "137,OOMKilled,OOM_KILLED,9,'ended by SIGKILL, exit code 137 (OOMKilled)'",
    "1,OOMKilled,OOM_KILLED,-1,ended with exit code 1 (OOMKilled)",
    "128,StartError,START_ERROR,-1,ended with exit code 128 (StartError)",
    "127,ContainerCannotRun,START_ERROR,-1,ended with exit code 127 (ContainerCannotRun)",
    "137,ContainerStatusUnknown,NODE_LOST,-1,'ended by SIGKILL, exit code 137"
        + " (ContainerStatusUnknown)'",
  })
  void shouldReadKindWhenContainerEnded(
      int code, String reason, PodFailure.Kind kind, int signal, String how) {
    var found =
        failure(
            container("Failed", "\"restartCount\":2,\"state\":" + DONE.formatted(code, reason)));
    assertThat(found.kind()).isEqualTo(kind);
    assertThat(found.exitCode()).hasValue(code);
    assertThat(found.signal().orElse(-1)).isEqualTo(signal);
    assertThat(found.container()).isEqualTo("pytorch");
    assertThat(found.restarts()).isEqualTo(2);
    assertThat(found.answered()).isFalse();
    assertThat(found.since()).isEqualTo(Instant.parse("2026-01-01T00:00:10Z"));
    assertThat(found.evidence()).isEqualTo("container pytorch " + how);
  }

  @ParameterizedTest
  @CsvSource({
    "ErrImagePull,IMAGE_PULL",
    "ImagePullBackOff,IMAGE_PULL",
    "InvalidImageName,IMAGE_PULL",
    "ErrImageNeverPull,IMAGE_PULL",
    "CreateContainerConfigError,START_ERROR",
    "CreateContainerError,START_ERROR",
    "RunContainerError,START_ERROR",
    "CrashLoopBackOff,CRASH_LOOP"
  })
  void shouldReadKindWhenContainerWaits(String reason, PodFailure.Kind kind) {
    var found =
        failure(
            container(
                "Pending",
                "\"restartCount\":0,\"state\":{\"waiting\":{\"reason\":\"%s\",\"message\":\"why\"}}"
                    .formatted(reason)));
    assertThat(found.kind()).isEqualTo(kind);
    assertThat(found.evidence()).isEqualTo("container pytorch waits (" + reason + "): why");
  }

  @Test
  void shouldReadTheLastRunWhenContainerCrashLoops() {
    var found =
        failure(
            container(
                "Running",
                "\"restartCount\":4,\"state\":{\"waiting\":{\"reason\":\"CrashLoopBackOff\"}},"
                    + "\"lastState\":"
                    + DONE.formatted(137, "OOMKilled")));
    assertThat(found.kind()).isEqualTo(CRASH_LOOP);
    assertThat(found.exitCode()).hasValue(137);
    assertThat(found.evidence()).contains("its last run ended by SIGKILL").contains("OOMKilled");
    assertThat(found.since()).isEqualTo(Instant.parse("2026-01-01T00:00:10Z"));
  }

  @Test
  void shouldSayAnsweredWhenKubeletStartedContainerAgain() {
    var found =
        failure(
            container(
                "Running",
                "\"restartCount\":1,\"state\":{\"running\":{}},\"lastState\":"
                    + DONE.formatted(1, "Error")));
    assertThat(found.kind()).isEqualTo(EXIT_CODE);
    assertThat(found.answered()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"phase\":\"Running\",\"containerStatuses\":[{\"state\":{\"running\":{}}}]}",
        "{\"phase\":\"Pending\",\"containerStatuses\":[{\"state\":{\"waiting\":{\"reason\":\"ContainerCreating\"}}}]}",
        "{\"phase\":\"Pending\",\"containerStatuses\":[{\"state\":{\"waiting\":{\"reason\":\"PodInitializing\"}}}]}",
        """
        {"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","reason":"SchedulingGated"}]}
        """,
        """
        {"phase":"Running","conditions":[{"type":"DisruptionTarget","status":"False","reason":"x"}]}
        """,
        """
        {"phase":"Succeeded","containerStatuses":[{"state":{"terminated":{"exitCode":0,"reason":"Completed"}}}]}
        """,
      })
  void shouldFindNothingWhenPodIsWell(String status) {
    assertThat(PodFailures.classify(pod(status))).isEmpty();
  }

  @Test
  void shouldFindNothingWhenPodHasNoStatusOrMetadata() {
    assertThat(PodFailures.classify(new Pod())).isEmpty();
  }

  @Test
  void shouldPutWhatExplainsMostFirstWhenThereAreSeveral() {
    var several =
        pod(
            """
            {"phase":"Failed","reason":"Evicted",
            "containerStatuses":[{"name":"a","state":%s},{"name":"b","state":{"running":{}},"lastState":%s}],
            "initContainerStatuses":[{"name":"i","state":%s}]}
            """
                .formatted(
                    DONE.formatted(1, "Error"),
                    DONE.formatted(137, "OOMKilled"),
                    DONE.formatted(128, "StartError")));
    assertThat(PodFailures.all(PodFactsReader.read(several)))
        .extracting(PodFailure::kind)
        .containsExactly(EVICTED, EXIT_CODE, START_ERROR, OOM_KILLED);
  }
}
