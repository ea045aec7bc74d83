package dev.rekindle.controller.kubernetes.convert;

import dev.rekindle.detect.node.AscendReader;
import dev.rekindle.detect.node.DraReader;
import dev.rekindle.detect.node.HamiDevices;
import dev.rekindle.detect.pod.PodFailures;
import dev.rekindle.detect.pod.TrainingPod;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.kubeflow.v1.PyTorchJob;

/** Feeds bytes to the readers of jobs, pods and nodes. */
public final class JobFuzz {
  /** A job, for a seed. */
  public static final String JOB =
      """
      {"metadata":{"name":"j","namespace":"n","uid":"u","creationTimestamp":"2026-01-01T00:00:00Z",
      "annotations":{"rekindle.dev/recover":"true","rekindle.dev/attempt":"j-1","rekindle.dev/stall-timeout":"9m"}},
      "spec":{"runPolicy":{"suspend":true,"backoffLimit":3},"pytorchReplicaSpecs":{"Master":{"replicas":1,
      "restartPolicy":"Never","template":{"metadata":{"annotations":{"rekindle.dev/attempt":"j-1"}},
      "spec":{"containers":[{"name":"pytorch","env":[{"name":"REKINDLE_ATTEMPT","value":"x"}],
      "resources":{"limits":{"nvidia.com/gpu":"8"}},"volumeMounts":[{"name":"c","mountPath":"/ckpt"}]}],
      "volumes":[{"name":"c","hostPath":{"path":"/x"}}]}}}}},
      "status":{"conditions":[{"type":"Running","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}
      """;

  /** A pod, for a seed. */
  public static final String POD =
      """
      {"metadata":{"name":"j-worker-0","namespace":"n","uid":"12345678-a","labels":{
      "training.kubeflow.org/job-name":"j","training.kubeflow.org/replica-index":"0",
      "training.kubeflow.org/replica-type":"worker"},
      "annotations":{"hami.io/vgpu-devices-allocated":"GPU-1,NVIDIA,100,10:;",
      "k8s.v1.cni.cncf.io/network-status":"[{\\"name\\":\\"a/b\\",\\"interface\\":\\"net1\\",\\"ips\\":[\\"10.0.0.1\\"],
      \\"device-info\\":{\\"pci\\":{\\"rdma-device\\":\\"mlx5_1\\"}}}]"},
      "deletionTimestamp":"2026-01-01T00:00:00Z",
      "deletionGracePeriodSeconds":30,
      "ownerReferences":[{"kind":"PyTorchJob","controller":true,"uid":"u","name":"j","apiVersion":"v"}]},
      "spec":{"nodeName":"node-1","terminationGracePeriodSeconds":30},
      "status":{"phase":"Failed","reason":"Evicted","message":"x",
      "conditions":[{"type":"Ready","status":"False","reason":"r"}],
      "containerStatuses":[{"name":"pytorch","restartCount":3,"containerID":"containerd://abc","state":{"terminated":{
      "exitCode":137,"signal":9,"reason":"OOMKilled","message":"m","finishedAt":"2026-01-01T00:00:00Z"}},
      "lastState":{"waiting":{"reason":"CrashLoopBackOff"}}}]}}
      """;

  /** A node, for a seed. */
  public static final String NODE =
      """
      {"metadata":{"name":"node-1","labels":{"kubernetes.io/hostname":"h","rekindle.dev/lemon":"x"},"annotations":{
      "rekindle.dev/fenced-at":"2026-01-01T00:00:00Z",
      "hami.io/node-nvidia-register":"[{\\"id\\":\\"GPU-1\\",\\"health\\":false}]"}},
      "spec":{"unschedulable":true,"taints":[{"key":"k","effect":"NoSchedule"}]},
      "status":{"capacity":{"nvidia.com/gpu":"8"},"allocatable":{"nvidia.com/gpu":"7"},"nodeInfo":{"bootID":"b"},
      "conditions":[{"type":"Ready","status":"Unknown","lastHeartbeatTime":"2026-01-01T00:00:00Z","message":"m"}]},
      "Faults":"[{\\"FaultDev\\":1}]","devices":[{"name":"gpu-0","taints":[{"key":"k","effect":"NoExecute"}]}]}
      """;

  private static final KubernetesSerialization JSON = new KubernetesSerialization();

  private JobFuzz() {}

  /** Lines of {@code key=value}. */
  public static void annotations(byte[] input) {
    var annotations = new HashMap<String, String>();
    for (var line : new String(input, StandardCharsets.UTF_8).split("\n", -1)) {
      var equals = line.indexOf('=');
      if (equals > 0) {
        annotations.put(line.substring(0, equals), line.substring(equals + 1));
      }
    }
    if (OptInReader.read(annotations, annotations)
            instanceof dev.rekindle.controller.model.JobView.OptIn.Unusable(String reason)
        && reason.length() > 400) {
      throw new AssertionError("a reason of " + reason.length());
    }
  }

  /** A PyTorchJob. */
  public static void job(byte[] input) {
    read(input, PyTorchJob.class)
        .filter(job -> job.getMetadata() != null && job.getMetadata().getName() != null)
        .ifPresent(
            job -> {
              var view = JobReader.read(job);
              var _ = CheckpointMount.of(job, view.checkpointDir());
            });
  }

  /** A Pod. */
  public static void pod(byte[] input) {
    read(input, Pod.class)
        .filter(pod -> pod.getMetadata() != null && pod.getMetadata().getName() != null)
        .ifPresent(
            pod -> {
              var _ = PodReader.read(pod);
              var _ = SpareReader.read(pod);
              var _ = TrainingPod.of(pod);
              var _ = HamiDevices.held(pod);
              var _ = PodFailures.classify(pod);
            });
  }

  /** A Node; the same bytes as what plugins write beside it. */
  public static void node(byte[] input) {
    read(input, Node.class)
        .filter(node -> node.getMetadata() != null && node.getMetadata().getName() != null)
        .ifPresent(
            node -> {
              var _ = NodeReader.read(node);
            });
    var text = new String(input, StandardCharsets.UTF_8);
    var data = Map.of("DeviceInfoCfg", text, "NodeInfo", text);
    var _ = AscendReader.devices(data);
    var _ = AscendReader.node(data);
    read(input, Map.class)
        .ifPresent(
            map -> {
              var _ = DraReader.slice(map);
              var _ = DraReader.rule(map);
            });
  }

  /** What the API server would not take is read by no one. */
  static <T> Optional<T> read(byte[] input, Class<T> type) {
    if (input.length == 0 || input[0] != '{') {
      return Optional.empty(); // The API server answers in JSON.
    }
    try {
      return Optional.ofNullable(JSON.unmarshal(new String(input, StandardCharsets.UTF_8), type));
    } catch (KubernetesClientException | IllegalArgumentException | ClassCastException refused) {
      return Optional.empty();
    }
  }
}
