package dev.rekindle.controller.kubernetes.convert;

import static dev.rekindle.controller.kubernetes.convert.JobReaderTest.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.controller.model.GangScheduling;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Finish;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** How a job ended, and who else answers for it. */
class JobReaderOwnersTest {

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
}
