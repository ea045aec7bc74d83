package dev.rekindle.charts;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.util.Map;
import java.util.TreeMap;

/** Workloads of a chart that is rendered. */
abstract class WorkloadsFixture {
  static PodSpec controller(String values) {
    return Chart.render(values)
        .one(Deployment.class, "-controller")
        .getSpec()
        .getTemplate()
        .getSpec();
  }

  static PodSpec agent(String values) {
    return Chart.render(values).one(DaemonSet.class, "-agent").getSpec().getTemplate().getSpec();
  }

  static Map<String, String> environment(Container container) {
    Map<String, String> values = new TreeMap<>();
    for (EnvVar variable : container.getEnv()) {
      var from = variable.getValueFrom();
      values.put(
          variable.getName(),
          from == null ? variable.getValue() : "field " + from.getFieldRef().getFieldPath());
    }
    return values;
  }

  static VolumeMount mount(Container container, String path) {
    return container.getVolumeMounts().stream()
        .filter(mount -> mount.getMountPath().equals(path))
        .findFirst()
        .orElseThrow();
  }
}
