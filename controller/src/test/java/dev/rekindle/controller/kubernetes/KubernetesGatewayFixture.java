package dev.rekindle.controller.kubernetes;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.ResumeOrder;
import java.util.List;
import java.util.Map;
import org.kubeflow.v1.PyTorchJob;

/** A job in an API server of this process. */
abstract class KubernetesGatewayFixture extends GatewayFixture {
  static final String OPTED_IN = "rekindle.dev/recover: 'true'";

  String job(String annotations, String suspend, String status) {
    PyTorchJob job =
        client
            .getKubernetesSerialization()
            .unmarshal(
                """
                apiVersion: kubeflow.org/v1
                kind: PyTorchJob
                metadata: {name: mnist, namespace: team, annotations: {%s}}
                spec:
                  future: {x: 1}
                  runPolicy: {suspend: %s}
                  pytorchReplicaSpecs:
                    Master: {template: {spec: {containers: [{name: pytorch, image: i}]}}}
                status: %s
                """
                    .formatted(annotations, suspend, status),
                PyTorchJob.class);
    return client.resource(job).create().getMetadata().getUid();
  }

  PyTorchJob stored() {
    return client.resources(PyTorchJob.class).inNamespace("team").withName("mnist").get();
  }

  static ResumeOrder order(String recovery) {
    return new ResumeOrder(
        recovery,
        recovery + "-1",
        List.of("n1"),
        List.of(),
        Map.of(),
        List.of(),
        "/ckpt/step-1.pt",
        1L,
        "",
        "XID-79");
  }

  static RecoveryStatus status(RecoveryPhase phase) {
    return new RecoveryStatus(phase, NOW, 1, null, null, null, null, List.of(), List.of());
  }
}
