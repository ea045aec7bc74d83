package dev.rekindle.controller.kubernetes.convert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.PodView.Phase;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PodReaderTest {
  private static Optional<PodView> read(String yaml) {
    return PodReader.read(new KubernetesSerialization().unmarshal(yaml, Pod.class));
  }

  @Test
  void shouldReadAPodOfAGang() {
    PodView pod =
        read("""
        metadata:
          name: mnist-worker-1
          namespace: team
          uid: p1
          creationTimestamp: "2026-01-01T00:00:00Z"
          deletionTimestamp: "2026-01-01T00:10:30Z"
          deletionGracePeriodSeconds: 30
          annotations: {rekindle.dev/attempt: r-1, rekindle.dev/job-uid: u1}
          labels:
            training.kubeflow.org/job-name: mnist
            training.kubeflow.org/replica-type: worker
            training.kubeflow.org/replica-index: "1"
          ownerReferences:
          - {kind: Other, uid: no}
          - {kind: PyTorchJob, name: mnist, uid: u1, controller: true}
        spec:
          nodeName: n1
          containers:
          - {name: pytorch, resources: {limits: {nvidia.com/gpu: 8}}}
          - {name: side}
        status:
          phase: Running
          conditions: [{type: Ready, status: "True"}]
          initContainerStatuses: [{name: init-pytorch, restartCount: 9}]
          containerStatuses:
          - name: pytorch
            restartCount: 2
            state: {running: {startedAt: "2026-01-01T00:05:00Z"}}
            lastState: {terminated: {exitCode: 137, finishedAt: "2026-01-01T00:04:00Z"}}
          - name: side
            restartCount: 1
            state: {running: {}}
            lastState: {terminated: {exitCode: 0, finishedAt: "2026-01-01T00:03:00Z"}}
        """)
            .orElseThrow();
    assertThat(pod.job()).isEqualTo(new JobKey("team", "mnist"));
    assertThat(pod.jobUid()).isEqualTo("u1");
    assertThat(pod.role()).isEqualTo("worker");
    assertThat(pod.index()).isOne();
    assertThat(pod.node()).isEqualTo("n1");
    assertThat(pod.gpus()).isEqualTo(8);
    assertThat(pod.phase()).isEqualTo(Phase.RUNNING);
    assertThat(pod.ready()).isTrue();
    assertThat(pod.deletionGraceSeconds()).isEqualTo(30);
    assertThat(pod.deletionDeadline()).isEqualTo(Instant.parse("2026-01-01T00:10:30Z"));
    assertThat(pod.attempt()).isEqualTo("r-1");
    assertThat(pod.restarts()).as("init containers are left out").isEqualTo(3);
    assertThat(pod.lastExit()).isEqualTo(Instant.parse("2026-01-01T00:04:00Z"));
    assertThat(pod.failure()).extracting(f -> f == null ? "" : f.kind()).isEqualTo("Signal");
  }

  @Test
  void shouldDistinguishAContainerThatNeverRanFromAPodThatItsNodeRefused() {
    String pod = "metadata: {name: p, labels: {training.kubeflow.org/job-name: j}}\nstatus: {%s}";
    PodView image =
        read(pod.formatted(
                "phase: Pending, containerStatuses: [{name: pytorch, state: {waiting: {reason:"
                    + " ImagePullBackOff}}}]"))
            .orElseThrow();
    assertThat(image.failure()).extracting(f -> f != null && f.cannotStart()).isEqualTo(true);
    PodView refused =
        read(pod.formatted("phase: Failed, reason: UnexpectedAdmissionError")).orElseThrow();
    assertThat(refused.failure()).extracting(f -> f != null && f.cannotStart()).isEqualTo(false);
  }

  @Test
  void shouldReadAPodWithNothingButItsLabel() {
    PodView pod =
        read("metadata: {name: p, creationTimestamp: never, labels:"
                + " {training.kubeflow.org/job-name: j, training.kubeflow.org/replica-index: x}}")
            .orElseThrow();
    assertThat(pod.phase()).isEqualTo(Phase.PENDING);
    assertThat(pod.index()).isEqualTo(-1);
    assertThat(pod.created()).isEqualTo(Instant.EPOCH);
    assertThat(pod.failure()).isNull();
  }

  @Test
  void shouldIgnoreAPodWithoutAJob() {
    assertThat(read("metadata: {name: p}")).isEmpty();
  }

  @Test
  void shouldNotTakeTheAttemptOfAnotherJobForItsOwn() {
    String pod =
        """
        metadata:
          annotations: {rekindle.dev/attempt: other-r7-1, rekindle.dev/job-uid: %s}
          labels: {training.kubeflow.org/job-name: mnist}
          ownerReferences: [{kind: PyTorchJob, name: mnist, uid: u1, controller: true}]
        """;
    assertThat(read(pod.formatted("u1")).orElseThrow().attempt()).isEqualTo("other-r7-1");
    assertThat(read(pod.formatted("u0")).orElseThrow().attempt()).isEmpty();
  }
}
