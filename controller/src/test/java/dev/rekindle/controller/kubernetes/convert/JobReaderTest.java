package dev.rekindle.controller.kubernetes.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.controller.model.GangScheduling;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.RestartMode;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class JobReaderTest {
  private static JobView read(String metadata, String spec, String status) {
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

  private static JobView annotated(String annotations) {
    return read("annotations: {" + annotations + "}", "", "");
  }

  static Stream<Arguments> optIns() {
    return Stream.of(
        argumentSet("nothing", "", new OptIn.No()),
        argumentSet("true", "rekindle.dev/recover: 'true'", new OptIn.Yes(Mode.AUTO)),
        argumentSet("observe", "rekindle.dev/recover: observe", new OptIn.Yes(Mode.OBSERVE)),
        argumentSet("approve", "rekindle.dev/recover: approve", new OptIn.Yes(Mode.APPROVE)),
        argumentSet("false", "rekindle.dev/recover: 'false'", new OptIn.No()),
        argumentSet(
            "all of them",
            "rekindle.dev/recover: 'true', rekindle.dev/policy: gold.v2, rekindle.dev/checkpoint:"
                + " /c/d/, rekindle.dev/checkpoint-format: dcp, rekindle.dev/resume: none,"
                + " rekindle.dev/stall-timeout: 1h30m, rekindle.dev/step-pattern: 'step (\\d+)'",
            new OptIn.Yes(Mode.AUTO)),
        argumentSet("nonsense without opting in", "rekindle.dev/checkpoint: here", new OptIn.No()));
  }

  @ParameterizedTest
  @MethodSource("optIns")
  void shouldReadWhatTheOwnerWants(String annotations, OptIn expected) {
    assertThat(annotated(annotations).optIn()).isEqualTo(expected);
  }

  static Stream<Arguments> nonsense() {
    return Stream.of(
        argumentSet("recover", "rekindle.dev/recover", "yes please"),
        argumentSet("empty recover", "rekindle.dev/recover", ""),
        argumentSet("policy", "rekindle.dev/policy", "No Such"),
        argumentSet("relative checkpoint", "rekindle.dev/checkpoint", "ckpt"),
        argumentSet("climbing checkpoint", "rekindle.dev/checkpoint", "/ckpt/../etc"),
        argumentSet("root", "rekindle.dev/checkpoint", "/"),
        argumentSet("double slash", "rekindle.dev/checkpoint", "/a//b"),
        argumentSet("dot", "rekindle.dev/checkpoint", "/a/./b"),
        argumentSet("control character", "rekindle.dev/checkpoint", "/a\nb"),
        argumentSet("endless checkpoint", "rekindle.dev/checkpoint", "/" + "a".repeat(2_000)),
        argumentSet("format", "rekindle.dev/checkpoint-format", "zarr"),
        argumentSet("shared", "rekindle.dev/checkpoint-shared", "yes"),
        argumentSet("no bucket", "rekindle.dev/checkpoint", "s3:///run"),
        argumentSet("climbing prefix", "rekindle.dev/checkpoint", "s3://bucket/a/../b"),
        argumentSet("endpoint", "rekindle.dev/checkpoint-endpoint", "ftp://store"),
        argumentSet(
            "keys in the endpoint", "rekindle.dev/checkpoint-endpoint", "https://a:b@store"),
        argumentSet("region", "rekindle.dev/checkpoint-region", "eu/1"),
        argumentSet("Secret of another program", "rekindle.dev/checkpoint-secret", "tls"),
        argumentSet("unreachable", "rekindle.dev/checkpoint-unreachable", "restart"),
        argumentSet("resume", "rekindle.dev/resume", "file"),
        argumentSet("RDMA", "rekindle.dev/require-rdma", "yes"),
        argumentSet("no RDMA", "rekindle.dev/require-rdma", ""),
        argumentSet("restart", "rekindle.dev/restart", "in place"),
        argumentSet("stall without unit", "rekindle.dev/stall-timeout", "10"),
        argumentSet("stall of nothing", "rekindle.dev/stall-timeout", "0s"),
        argumentSet("stall for ever", "rekindle.dev/stall-timeout", "9999h"),
        argumentSet("pattern without group", "rekindle.dev/step-pattern", "step"),
        argumentSet("pattern with two groups", "rekindle.dev/step-pattern", "(a)(b)"),
        argumentSet("back reference", "rekindle.dev/step-pattern", "(a)\\1"),
        argumentSet(
            "pattern that takes all memory",
            "rekindle.dev/step-pattern",
            "((?:(?:(?:x{1000}){1000}){1000}))"),
        argumentSet(
            "pattern that overflows the stack",
            "rekindle.dev/step-pattern",
            "((?:(?:x?){1000}){20}y)"),
        argumentSet("endless pattern", "rekindle.dev/step-pattern", "(" + "a".repeat(300) + ")"));
  }

  @ParameterizedTest
  @MethodSource("nonsense")
  void shouldSayWhichAnnotationMakesNoSense(String key, String value) {
    var job = Jobs.typed("metadata: {name: n, annotations: {rekindle.dev/recover: 'true'}}");
    job.getMetadata().getAnnotations().put(key, value);
    assertThat(JobReader.read(job).optIn())
        .isInstanceOfSatisfying(
            OptIn.Unusable.class,
            unusable ->
                assertThat(unusable.reason())
                    .startsWith("annotation " + key + "=")
                    .hasSizeLessThan(250)
                    .doesNotContain("\n"));
  }

  @Test
  void shouldHonourTheLabelOfKCoverUnlessSetOtherwise() {
    String label = "labels: {kcover.io/cascading-recovery: 'true'}";
    assertThat(read(label, "", "").optIn()).isEqualTo(new OptIn.Yes(Mode.AUTO));
    assertThat(read(label + ", annotations: {rekindle.dev/recover: 'false'}", "", "").optIn())
        .isEqualTo(new OptIn.No());
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
  void shouldReadAnnotationsIntoTheirFields() {
    JobView job =
        annotated(
            "rekindle.dev/policy: gold, rekindle.dev/checkpoint: /ckpt/run/, rekindle.dev/resume:"
                + " none, rekindle.dev/stall-timeout: 90s, rekindle.dev/suspended-by: mnist-r1,"
                + " rekindle.dev/marks-of: u1");
    assertThat(job.policy()).isEqualTo("gold");
    assertThat(job.checkpointDir()).isEqualTo("/ckpt/run");
    assertThat(job.resumeByEnv()).isFalse();
    assertThat(job.stallTimeout()).isEqualTo(Duration.ofSeconds(90));
    assertThat(job.suspendedBy()).isEqualTo("mnist-r1");
  }

  @Test
  void shouldReadWhetherAGangHasToBeOnRdma() {
    assertThat(annotated("rekindle.dev/require-rdma: 'true'").requiresRdma()).isTrue();
    assertThat(annotated("rekindle.dev/require-rdma: 'false'").requiresRdma()).isFalse();
    assertThat(annotated("").requiresRdma()).isFalse();
  }

  @Test
  void shouldReadHowAGangMayBeBroughtBack() {
    JobView plain = annotated("");
    JobView set = annotated("rekindle.dev/restart: inPlace");
    JobView limited = read("", "runPolicy: {backoffLimit: 3}", "");

    assertThat(plain.restart()).isNull();
    assertThat(plain.backoffLimit()).isNull();
    assertThat(set.restart()).isEqualTo(RestartMode.IN_PLACE);
    assertThat(limited.backoffLimit()).isEqualTo(3);
  }

  @Test
  void shouldDistinguishSuspensionWishedFromSuspensionSeen() {
    JobView suspended =
        read("", "runPolicy: {suspend: true}", "conditions: [{type: Suspended, status: 'False'}]");
    assertThat(suspended.suspended()).isTrue();
    assertThat(suspended.suspensionSeen()).isFalse();
    assertThat(read("", "", "conditions: [{type: Suspended, status: 'True'}]").suspensionSeen())
        .isTrue();
  }

  static Stream<Arguments> ends() {
    String failed =
        "conditions: [{type: Running, status: 'False'}, {type: Failed, status: 'True',"
            + " message: it broke%s}]%s";
    Instant time = Instant.parse("2026-01-01T00:00:05Z");
    return Stream.of(
        argumentSet(
            "transition time",
            failed.formatted(", lastTransitionTime: '2026-01-01T00:00:05Z'", ""),
            Finish.FAILED,
            time),
        argumentSet(
            "completion time only",
            failed.formatted("", ", completionTime: '2026-01-01T00:00:05Z'"),
            Finish.FAILED,
            time),
        argumentSet(
            "unreadable time",
            failed.formatted(", lastTransitionTime: yesterday", ""),
            Finish.FAILED,
            null),
        argumentSet(
            "succeeded",
            "conditions: [{type: Succeeded, status: 'True', lastTransitionTime:"
                + " '2026-01-01T00:00:05Z'}]",
            Finish.SUCCEEDED,
            time),
        argumentSet(
            "no longer failed",
            "conditions: [{type: Failed, status: 'False'}]",
            Finish.NOT_FINISHED,
            null),
        argumentSet("no conditions", "conditions: null", Finish.NOT_FINISHED, null));
  }

  @ParameterizedTest
  @MethodSource("ends")
  void shouldReadHowAJobEnded(String status, Finish finish, Instant at) {
    JobView job = read("", "", status);
    assertThat(job.finish()).isEqualTo(finish);
    assertThat(job.finishedAt()).isEqualTo(at);
    assertThat(job.finishMessage()).isEqualTo(finish == Finish.FAILED ? "it broke" : "");
  }

  static Stream<Arguments> owners() {
    return Stream.of(
        argumentSet("no other owner", "", "", ""),
        argumentSet(
            "the operator itself",
            "",
            "runPolicy: {managedBy: kubeflow.org/training-operator}",
            ""),
        argumentSet(
            "MultiKueue", "", "runPolicy: {managedBy: kueue.x-k8s.io/multikueue}", "managedBy"),
        argumentSet(
            "an autoscaler",
            "",
            "elasticPolicy: {minReplicas: 2, metrics: [{type: Resource}]}",
            "autoscaler"),
        argumentSet(
            "torchrun", "", "elasticPolicy: {minReplicas: 1, maxReplicas: 3}", "1 to 3 replicas"),
        argumentSet(
            "torchrun of a fixed size",
            "",
            "elasticPolicy: {minReplicas: 3, maxReplicas: 3, rdzvBackend: c10d}",
            ""),
        argumentSet(
            "a Workload",
            "ownerReferences: [{apiVersion: kueue.x-k8s.io/v1beta1, kind: Workload, name: w, uid:"
                + " x}]",
            "",
            "Kueue owns"),
        argumentSet(
            "HyperPod",
            "annotations: {sagemaker.amazonaws.com/enable-job-auto-resume: 'true'}",
            "",
            "HyperPod"));
  }

  @ParameterizedTest
  @MethodSource("owners")
  void shouldSeeWhoElseAnswersForTheJob(String metadata, String spec, String expected) {
    String notOurs = read(metadata, spec, "").notOurs();
    assertThat(notOurs.isEmpty()).isEqualTo(expected.isEmpty());
    assertThat(notOurs).contains(expected);
  }

  @Test
  void shouldReadTheQueueThatTheJobNames() {
    JobView job = read("labels: {kueue.x-k8s.io/queue-name: q}", "", "");

    assertThat(job.gang()).isEqualTo(new GangScheduling.Kueue("q", null));
    assertThat(read("", "", "").gang()).isEqualTo(new GangScheduling.None());
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
        "template: {metadata: {annotations: {rekindle.dev/attempt: r-1, rekindle.dev/marks-of:"
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
  @ValueSource(strings = {", rekindle.dev/marks-of: another-uid", ""})
  void shouldNotTakeTheMarksOfAnotherJobForItsOwn(String marksOf) {
    String template =
        "template: {metadata: {annotations: {rekindle.dev/attempt: other-r7-1,"
            + " rekindle.dev/resume-from: /ckpt/other%s}}}".formatted(marksOf);
    JobView job =
        read(
            "annotations: {rekindle.dev/suspended-by: other-r7, rekindle.dev/excluded-nodes: n1%s}"
                .formatted(marksOf),
            "pytorchReplicaSpecs: {Master: {%s}}".formatted(template),
            "");
    assertThat(job.suspendedBy()).isEmpty();
    assertThat(job.attempt()).isEmpty();
    assertThat(job.foreignMarks())
        .containsExactly(
            "rekindle.dev/attempt",
            "rekindle.dev/excluded-nodes",
            "rekindle.dev/resume-from",
            "rekindle.dev/suspended-by");
    assertThat(annotated("rekindle.dev/recover: 'true'").foreignMarks()).isEmpty();
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
