package dev.rekindle.controller.app;

import io.fabric8.kubernetes.client.KubernetesClient;

/** The forms of {@code -o}. */
enum Output {
  table,
  wide,
  json,
  yaml;

  /** Whether objects are printed as they are. */
  boolean ofObjects() {
    return this == json || this == yaml;
  }

  /** An object in that form, as kubectl prints it. */
  String of(Object object, KubernetesClient client) {
    var serialization = client.getKubernetesSerialization();
    String text =
        this == json
            ? serialization.asJson(object)
            : serialization.asYaml(object).replaceFirst("^---\n", "");
    return text.endsWith("\n") ? text : text + "\n";
  }
}
