package dev.rekindle.controller.kubernetes.convert;

import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.kubeflow.v1.PyTorchJob;

/** PyTorchJobs written as YAML. */
final class Jobs {
  private static final KubernetesSerialization SERIALIZATION = new KubernetesSerialization();

  private Jobs() {}

  static PyTorchJob typed(String yaml) {
    return SERIALIZATION.unmarshal(yaml, PyTorchJob.class);
  }

  @SuppressWarnings("unchecked") // a JSON object
  static Map<String, @Nullable Object> raw(String yaml) {
    return (Map<String, @Nullable Object>) SERIALIZATION.unmarshal(yaml, Map.class);
  }

  static String json(Object object) {
    return SERIALIZATION.asJson(object);
  }
}
