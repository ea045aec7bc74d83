package dev.rekindle.controller.kubernetes;

import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.TrackerChange;
import dev.rekindle.api.TrackerResult;
import dev.rekindle.controller.kubernetes.convert.InspectorJob;
import dev.rekindle.controller.kubernetes.convert.JobReader;
import dev.rekindle.controller.kubernetes.convert.TrackerJob;
import dev.rekindle.controller.kubernetes.convert.TrackerReport;
import dev.rekindle.controller.model.TrackerOrder;
import dev.rekindle.controller.model.TrackerView;
import dev.rekindle.controller.port.ClusterState;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.lang.reflect.Proxy;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.kubeflow.v1.PyTorchJob;

/** The Job that makes a tracker name the pinned checkpoint, and what it says. */
class TrackerCallsTest extends GatewayFixture {
  private static final TrackerOrder ORDER =
      new TrackerOrder(
          "r1", "r1-1", "/ckpt/$(HOME)/global_step200", "deepspeed", T0.plusSeconds(60));
  private static final String CLAIM = "persistentVolumeClaim: {claimName: data}";

  private static final ClusterState NOTHING =
      (ClusterState)
          Proxy.newProxyInstance(
              TrackerCallsTest.class.getClassLoader(),
              new Class<?>[] {ClusterState.class},
              (_, method, _) ->
                  method.getReturnType().equals(Optional.class) ? Optional.empty() : List.of());

  private TrackerCalls calls() {
    Circuits circuits = new Circuits(() -> false);
    return new TrackerCalls(
        client,
        circuits,
        new InspectorCalls(
            client,
            circuits,
            NOTHING,
            new InspectorJob("image:1", "IfNotPresent"),
            InstantSource.system()),
        new TrackerJob("image:1", "IfNotPresent"));
  }

  @SuppressWarnings("unchecked") // An object of JSON has texts for keys.
  private JobCalls.Live job(String directory, String mount, String volume) {
    PyTorchJob job =
        client
            .getKubernetesSerialization()
            .unmarshal(
                """
                apiVersion: kubeflow.org/v1
                kind: PyTorchJob
                metadata:
                  name: mnist
                  namespace: team
                  uid: u
                  annotations:
                    rekindle.dev/recover: 'true'
                    rekindle.dev/checkpoint: '%s'
                    rekindle.dev/checkpoint-tracker: rewrite
                spec:
                  pytorchReplicaSpecs:
                    Master:
                      template:
                        spec:
                          securityContext: {runAsUser: 1000}
                          containers:
                          - {name: pytorch, volumeMounts: [{name: c, mountPath: /ckpt%s}]}
                          volumes: [{name: c, %s}]
                """
                    .formatted(directory, mount, volume),
                PyTorchJob.class);
    return new JobCalls.Live(
        JobReader.read(job), client.getKubernetesSerialization().convertValue(job, Map.class));
  }

  @Test
  void shouldRunAsTheJobsUserWithTheVolumeToBeWritten() {
    JobCalls.Live job = job("/ckpt", "", CLAIM);
    assertThat(job.view().rewritesTracker()).isTrue();
    assertThat(calls().read(job, ORDER)).isEqualTo(new TrackerView.Absent());

    calls().start(job, ORDER);
    calls().start(job, ORDER);

    List<Job> jobs = client.batch().v1().jobs().inNamespace("team").list().getItems();
    assertThat(jobs).hasSize(1);
    Job made = jobs.getFirst();
    assertThat(made.getMetadata().getName()).isEqualTo("r1-1-tracker");
    var pod = made.getSpec().getTemplate().getSpec();
    assertThat(pod.getAutomountServiceAccountToken()).isFalse();
    var container = pod.getContainers().getFirst();
    assertThat(container.getArgs())
        .containsExactly(
            "tracker",
            "--dir",
            "/ckpt",
            "--checkpoint",
            "/ckpt/$$(HOME)/global_step200",
            "--format",
            "deepspeed",
            "--attempt",
            "r1-1",
            "--until",
            T0.plusSeconds(60).toString());
    assertThat(container.getVolumeMounts())
        .singleElement()
        .satisfies(mount -> assertThat(mount.getReadOnly()).isNotEqualTo(true));
    assertThat(container.getSecurityContext().getRunAsUser()).isEqualTo(1000);
    assertThat(container.getSecurityContext().getCapabilities().getDrop()).containsExactly("ALL");
    assertThat(calls().read(job, ORDER)).isEqualTo(new TrackerView.Pending("no pod of it yet"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/ckpt | , readOnly: true | persistentVolumeClaim: {claimName: data} | read-only",
        "/ckpt | '' | persistentVolumeClaim: {claimName: data, readOnly: true} | read-only",
        "/ckpt | '' | nfs: {server: a, path: /b, readOnly: true} | read-only",
        "/ckpt | '' | emptyDir: {} | is on an emptyDir",
        "s3://bucket/run | '' | emptyDir: {} | object store",
      })
  void shouldRefuseWhereNothingCanBeWritten(
      String directory, String mount, String volume, String reason) {
    JobCalls.Live job = job(directory, mount, volume);
    calls().start(job, ORDER);

    assertThat(calls().read(job, ORDER))
        .isInstanceOfSatisfying(
            TrackerView.Ended.class,
            ended -> {
              assertThat(ended.change().result()).isEqualTo(TrackerResult.REFUSED);
              assertThat(ended.change().message()).contains(reason);
            });
  }

  private Optional<TrackerChange> said(String log) {
    return new TrackerReport(client.getKubernetesSerialization()).of(log);
  }

  @Test
  void shouldReadWhatThePodSays() {
    assertThat(
            said(
                """
                WARNING: x
                {"tracker":"REWRITTEN","file":"latest","before":"a\\nb","now":"c","kept":"d","reason":""}
                """))
        .contains(new TrackerChange(TrackerResult.REWRITTEN, "latest", "a b", "c", "d", ""));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "{}",
        "{\"tracker\":\"DONE\"}",
        "{\"tracker\":[]}",
        "x{\"tracker\":\"REFUSED\"}"
      })
  void shouldTakeNothingElseForAnAnswer(String log) {
    assertThat(said(log)).isEmpty();
  }
}
