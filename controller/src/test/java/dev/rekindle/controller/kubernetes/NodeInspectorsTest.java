package dev.rekindle.controller.kubernetes;

import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.kubernetes.convert.CheckpointMount;
import dev.rekindle.controller.kubernetes.convert.InspectedNodes;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.Inspection.Checkpoint;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.port.ClusterState;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.kubeflow.v1.PyTorchJob;

/** Inspectors on several nodes, read as one. */
class NodeInspectorsTest {
  private static final JobKey JOB = new JobKey("team", "mnist");
  private static final InspectedNodes NODES =
      new InspectedNodes(List.of("a", "b"), List.of(), List.of());

  private final Map<String, Long> scans = new HashMap<>();
  private final NodeInspectors inspectors =
      new NodeInspectors(
          (ClusterState)
              Proxy.newProxyInstance(
                  NodeInspectorsTest.class.getClassLoader(),
                  new Class<?>[] {ClusterState.class},
                  (_, _, _) -> Optional.empty()));

  private static Pod on(String node) {
    return new PodBuilder()
        .withNewMetadata()
        .withName("on-" + node)
        .endMetadata()
        .withNewSpec()
        .withNodeName(node)
        .endSpec()
        .build();
  }

  private Optional<Inspection> report(Pod pod) {
    String node = pod.getSpec().getNodeName();
    Checkpoint one =
        new Checkpoint("/ckpt/step-7.pt", 7, 1, T0, "Valid", "L3", "", "torch-save", 0);
    return Optional.ofNullable(scans.get(node))
        .map(scan -> new Inspection.Report(scan, List.of(one), ""));
  }

  private Inspection read(Pod... pods) {
    return inspectors.read(JOB, "r1", NODES, List.of(pods), this::report);
  }

  @Test
  void shouldWaitUntilEachNodeHasReported() {
    scans.put("a", 5L);
    assertThat(read(on("a")))
        .isEqualTo(new Inspection.Pending("node b: no pod of the inspector yet"));
    assertThat(read(on("a"), on("b")))
        .isEqualTo(new Inspection.Pending("node b: the inspector's pod is new"));

    scans.put("b", 1L);
    assertThat(read(on("a"), on("b")))
        .isInstanceOfSatisfying(
            Inspection.Report.class,
            report -> {
              assertThat(report.scan()).isOne();
              assertThat(report.nodes()).containsExactly("a", "b");
              assertThat(report.checkpoints().getFirst().verdict()).isEqualTo("Valid");
            });
  }

  /** The slowest node counts: its next scan but one began after the first was read. */
  @Test
  void shouldCountRoundsAndNotTheScansOfTheFastest() {
    scans.putAll(Map.of("a", 5L, "b", 1L));
    assertThat(read(on("a"), on("b"))).extracting("scan").isEqualTo(1L);
    scans.putAll(Map.of("a", 50L, "b", 2L));
    assertThat(read(on("a"), on("b"))).extracting("scan").isEqualTo(1L);
    scans.put("b", 3L);
    assertThat(read(on("a"), on("b"))).extracting("scan").isEqualTo(2L);

    inspectors.forget(JOB, "r1");
    assertThat(read(on("a"), on("b"))).extracting("scan").isEqualTo(1L);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "hostPath: {path: /x} | /ckpt | master, worker",
        "hostPath: {path: /y} | /ckpt | master",
        "emptyDir: {} | /ckpt | master",
        "hostPath: {path: /x} | /other | master",
        "hostPath: {path: /x} | / | master",
      })
  void shouldLookWhereTheVolumeIsMounted(String ofWorker, String mountPath, String roles) {
    PyTorchJob job =
        new KubernetesSerialization()
            .unmarshal(
                """
                metadata: {name: mnist}
                spec:
                  pytorchReplicaSpecs:
                    Master:
                      template:
                        spec:
                          containers:
                          - {name: pytorch, volumeMounts: [{name: c, mountPath: /ckpt}]}
                          volumes: [{name: c, hostPath: {path: /x}}]
                    Worker:
                      template:
                        spec:
                          containers:
                          - {name: pytorch, volumeMounts: [{name: c, mountPath: %s}]}
                          volumes: [{name: c, %s}]
                """
                    .formatted(mountPath, ofWorker),
                PyTorchJob.class);
    var at = (CheckpointMount.Found) CheckpointMount.of(job, "/ckpt");

    assertThat(NodeInspectors.roles(job, at, "/ckpt")).containsExactlyInAnyOrder(roles.split(", "));
  }
}
