package dev.rekindle.detect.pod;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;

/** Pods as the kubelet reports them. */
abstract class PodFailuresFixture {
  static final String DONE =
      "{\"terminated\":{\"exitCode\":%d,\"reason\":\"%s\",\"finishedAt\":\"2026-01-01T00:00:10Z\"}}";

  static Pod pod(String status) {
    return Serialization.unmarshal(
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"},\"status\":"
            + status
            + "}",
        Pod.class);
  }

  static Pod container(String phase, String rest) {
    return pod(
        "{\"phase\":\"%s\",\"containerStatuses\":[{\"name\":\"pytorch\",%s}]}"
            .formatted(phase, rest));
  }

  static PodFailure failure(Pod pod) {
    return PodFailures.classify(pod).orElseThrow(() -> new AssertionError("no failure"));
  }
}
