package dev.rekindle.controller.kubernetes.convert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JobReaderTest {
  static JobView read(String metadata, String spec, String status) {
    return JobReader.read(
        Jobs.typed(
            """
            apiVersion: kubeflow.org/v1
            kind: PyTorchJob
            metadata: {name: mnist, namespace: team, uid: u1%s}
            spec: {%s}
            status: {%s}
            """
                .formatted(metadata.isEmpty() ? "" : ", " + metadata, spec, status)));
  }

  static JobView annotated(String annotations) {
    return read("annotations: {" + annotations + "}", "", "");
  }

  @Test
  void shouldApplyTheDefaultsOfTheOperatorWhenTheObjectHasNone() {
    JobView job =
        read(
            "",
            "pytorchReplicaSpecs: {worker: {replicas: 3, restartPolicy: Never}, Master: {}}",
            "");
    assertThat(job.replicas())
        .containsExactly(
            new Replica("Master", 1, RestartPolicy.ON_FAILURE, 0),
            new Replica("Worker", 3, RestartPolicy.NEVER, 0));
    assertThat(job.key()).isEqualTo(new JobKey("team", "mnist"));
    assertThat(job.policy()).isEqualTo("default");
    assertThat(job.checkpointDir()).isEmpty();
    assertThat(job.resumeByEnv()).isTrue();
    assertThat(job.stallTimeout()).isNull();
    assertThat(job.suspended()).isFalse();
    assertThat(job.finish()).isEqualTo(Finish.NOT_FINISHED);
    assertThat(job.notOurs()).isEmpty();
  }

  @Test
  void shouldDistinguishSuspensionInSpecFromSuspensionInStatus() {
    JobView suspended =
        read("", "runPolicy: {suspend: true}", "conditions: [{type: Suspended, status: 'False'}]");
    assertThat(suspended.suspended()).isTrue();
    assertThat(suspended.suspensionSeen()).isFalse();
    assertThat(read("", "", "conditions: [{type: Suspended, status: 'True'}]").suspensionSeen())
        .isTrue();
  }

  @ParameterizedTest
  @CsvSource({"0, true", "1, false", "30, false", "null, false"})
  void shouldSayWhetherPodsAreRemovedBeforeTheyHaveEnded(String grace, boolean atOnce) {
    assertThat(
            read(
                    "",
                    "pytorchReplicaSpecs: {Master: {template: {spec: {}}}, Worker: {template:"
                        + " {spec: {terminationGracePeriodSeconds: "
                        + grace
                        + "}}}}",
                    "")
                .removedAtOnce())
        .isEqualTo(atOnce);
    assertThat(read("", "", "").removedAtOnce()).isFalse();
  }

  @Test
  void shouldCountTheGpusOfTheWholeGang() {
    String pod =
        "template: {spec: {containers: [{name: pytorch, resources: {limits: {%s}}}, {name: side,"
            + " resources: {requests: {amd.com/gpu: '1', cpu: 500m}}}]}}";
    JobView job =
        read(
            "",
            "pytorchReplicaSpecs: {Master: {%s}, Worker: {replicas: 3, %s}}"
                .formatted(
                    pod.formatted("nvidia.com/gpu: 8"), pod.formatted("nvidia.com/gpu: '4'")),
            "");
    assertThat(job.replicas()).extracting(Replica::gpus).containsExactly(9L, 5L);
    assertThat(job.gpus()).isEqualTo(9 + 3 * 5);
  }

  @Test
  void shouldKnowTheAttemptOnlyWhenAllTemplatesCarryIt() {
    String with =
        "template: {metadata: {annotations: {rekindle.dev/attempt: r-1, rekindle.dev/job-uid:"
            + " u1}}}";
    assertThat(
            read("", "pytorchReplicaSpecs: {Master: {%s}, Worker: {%s}}".formatted(with, with), "")
                .attempt())
        .isEqualTo("r-1");
    assertThat(
            read("", "pytorchReplicaSpecs: {Master: {%s}, Worker: {}}".formatted(with), "")
                .attempt())
        .isEmpty();
  }

  /** As {@code kubectl get -o yaml}, renamed and applied, leaves them. */
  @ParameterizedTest
  @ValueSource(strings = {", rekindle.dev/job-uid: another-uid", ""})
  void shouldNotTakeTheAnnotationsOfAnotherJobForItsOwn(String uid) {
    String template =
        "template: {metadata: {annotations: {rekindle.dev/attempt: other-r7-1,"
            + " rekindle.dev/resume-from: /ckpt/other%s}}}".formatted(uid);
    JobView job =
        read(
            "annotations: {rekindle.dev/suspended-by: other-r7, rekindle.dev/excluded-nodes: n1%s}"
                .formatted(uid),
            "pytorchReplicaSpecs: {Master: {%s}}".formatted(template),
            "");
    assertThat(job.suspendedBy()).isEmpty();
    assertThat(job.attempt()).isEmpty();
    assertThat(job.copiedAnnotations())
        .containsExactly(
            "rekindle.dev/attempt",
            "rekindle.dev/excluded-nodes",
            "rekindle.dev/resume-from",
            "rekindle.dev/suspended-by");
    assertThat(annotated("rekindle.dev/recover: 'true'").copiedAnnotations()).isEmpty();
  }

  /** As the release before the annotation had its present name has left it. */
  @Test
  void shouldReadTheFormerNameOfTheUid() {
    JobView job =
        read(
            "annotations: {rekindle.dev/suspended-by: job-r7, rekindle.dev/marks-of: %s}"
                .formatted(annotated("").uid()),
            "",
            "");
    assertThat(job.suspendedBy()).isEqualTo("job-r7");
    assertThat(job.copiedAnnotations()).isEmpty();
  }

  @Test
  void shouldReadAJobWithFieldsItDoesNotKnow() {
    JobView job =
        read(
            "",
            "future: {a: 1}, pytorchReplicaSpecs: {Master: {future: [1], template: {x: 2}}}",
            "future: 3");
    assertThat(job.gangSize()).isOne();
  }
}
