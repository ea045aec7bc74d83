package dev.rekindle.controller.kubernetes.convert;

import dev.rekindle.controller.model.ResumeOrder;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A job that Rekindle holds suspended, with fields that it does not know, and how it is resumed.
 */
final class SuspendedJob {
  private SuspendedJob() {}

  /** As the API server has it. */
  static final String JOB =
      """
      apiVersion: kubeflow.org/v1
      kind: PyTorchJob
      metadata:
        name: mnist
        namespace: team
        uid: u1
        resourceVersion: "42"
        annotations:
          rekindle.dev/recover: "true"
          rekindle.dev/suspended-by: mnist-r1
          rekindle.dev/job-uid: u1
          rekindle.dev/marks-of: u1
          team/x: keep
      spec:
        newField: {of: a newer operator}
        runPolicy: {suspend: true, cleanPodPolicy: None}
        pytorchReplicaSpecs:
          Master:
            replicas: 1
            template:
              metadata:
                annotations:
                  ipam.spidernet.io/subnet: '{"interface":"eth0"}'
                  k8s.v1.cni.cncf.io/networks: spider/roce0
                  v1.multus-cni.io/default-network: spider/ovs
              spec:
                futureField: 7
                affinity:
                  podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: t}]}
                  nodeAffinity:
                    requiredDuringSchedulingIgnoredDuringExecution:
                      nodeSelectorTerms:
                      - matchExpressions: [{key: gpu, operator: In, values: [h200]}]
                      - matchFields: [{key: metadata.name, operator: In, values: [n7]}]
                      - {}
                    preferredDuringSchedulingIgnoredDuringExecution:
                    - {weight: 5, preference: {matchExpressions: [{key: rack, operator: Exists}]}}
                containers:
                - name: side
                  env: [{name: REKINDLE_ATTEMPT, value: not ours}]
                - name: pytorch
                  image: trainer:1
                  futureContainerField: {a: [1, 2]}
                  env:
                  - {name: A, value: "1"}
                  - {name: REKINDLE_RESUME_FROM, value: /old}
                  - {name: B, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
                  - {name: REKINDLE_RESUME_STEP, value: "1"}
          Worker:
            replicas: 2
            template:
              spec:
                containers: [{name: pytorch, image: "trainer:1"}]
      status:
        conditions: []
      """;

  /** An attempt that excludes nodes and pins a checkpoint. */
  static final ResumeOrder ORDER =
      new ResumeOrder(
          "mnist-r1",
          "mnist-r1-1",
          List.of("node-1", "node-2"),
          List.of("node-4"),
          Map.of("fabric/leaf", List.of("leaf-0", "leaf-1"), "fabric/pod", List.of("pod-0")),
          List.of(),
          "/ckpt/step-00000050.pt",
          50L,
          "",
          "XID-79");

  /** The next attempt, which requests neither. */
  static final ResumeOrder PLAIN =
      new ResumeOrder(
          "mnist-r1",
          "mnist-r1-2",
          List.of(),
          List.of(),
          Map.of(),
          List.of(),
          null,
          null,
          "",
          "Stalled");

  /** The job once it was resumed. */
  static Map<String, @Nullable Object> after(Map<String, @Nullable Object> job, ResumeOrder order) {
    return MergePatchTest.applied(job, ResumePatch.of(job, order));
  }

  /** What stands at the path; {@code absent} where nothing does. */
  static Object at(@Nullable Object tree, Object... path) {
    Object here = tree;
    for (Object step : path) {
      here =
          here instanceof Map<?, ?> map
              ? map.get(step)
              : here instanceof List<?> list && step instanceof Integer i && i < list.size()
                  ? list.get(i)
                  : null;
    }
    return here == null ? "absent" : here;
  }

  static Object template(Map<String, @Nullable Object> job, String type) {
    return at(job, "spec", "pytorchReplicaSpecs", type, "template");
  }
}
