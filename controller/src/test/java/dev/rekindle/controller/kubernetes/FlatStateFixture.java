package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.port.Changes;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.ArrayList;
import java.util.List;

/** A flat state that is fed with API objects, and what it reports as changed. */
abstract class FlatStateFixture {
  static final KubernetesSerialization SERIALIZATION = new KubernetesSerialization();
  static final JobKey JOB = new JobKey("team", "mnist");
  final List<String> changed = new ArrayList<>();

  final Changes changes =
      Changes.to(key -> changed.add("job " + key), name -> changed.add("node " + name), _ -> {});

  final FlatState state = new FlatState(changes);

  final KubernetesFeeds feeds =
      new KubernetesFeeds(
          state, new KeptConditions(_ -> type -> type.equals("GPUMissing")), changes);

  static <T extends HasMetadata> T object(Class<T> type, String yaml) {
    return SERIALIZATION.unmarshal(yaml, type);
  }

  static Pod pod(String name, String node, String phase, int version) {
    return object(
        Pod.class,
        """
        metadata:
          name: %s
          namespace: team
          uid: %s-uid
          resourceVersion: "%d"
          labels: {training.kubeflow.org/job-name: mnist, training.kubeflow.org/replica-index: nonsense}
        spec: {nodeName: %s}
        status: {phase: %s}
        """
            .formatted(name, name, version, node, phase));
  }
}
