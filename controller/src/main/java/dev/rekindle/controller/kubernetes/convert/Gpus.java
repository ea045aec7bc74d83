package dev.rekindle.controller.kubernetes.convert;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Counts GPUs: extended resources of any vendor whose name ends in {@code /gpu}. */
final class Gpus {
  private Gpus() {}

  /** GPUs that a pod of this spec requests. */
  static long of(@Nullable PodSpec spec) {
    if (spec == null) {
      return 0;
    }
    return Objects.requireNonNullElse(spec.getContainers(), List.<Container>of()).stream()
        .mapToLong(Gpus::of)
        .sum();
  }

  private static long of(Container container) {
    if (container == null || container.getResources() == null) {
      return 0;
    }
    // An extended resource's request equals its limit, and either may be left out.
    long limits = among(container.getResources().getLimits());
    return limits > 0 ? limits : among(container.getResources().getRequests());
  }

  /** GPUs among these resources. */
  static long among(@Nullable Map<String, Quantity> resources) {
    if (resources == null) {
      return 0;
    }
    return resources.entrySet().stream()
        .filter(entry -> entry.getKey().endsWith("/gpu"))
        .mapToLong(entry -> whole(entry.getValue()))
        .sum();
  }

  private static long whole(@Nullable Quantity quantity) {
    return AmountsReader.number(quantity)
        .map(number -> Math.max(0, number.min(BigDecimal.valueOf(1_000)).longValue()))
        .orElse(0L);
  }
}
