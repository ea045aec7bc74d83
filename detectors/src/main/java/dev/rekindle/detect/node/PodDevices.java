package dev.rekindle.detect.node;

import java.util.List;
import java.util.Set;

/**
 * Which devices a pod holds, as far as Kubernetes shows it.
 *
 * @param known whether {@code held} is all of them: without HAMi's annotation or the kubelet's
 *     {@code allocatedResourcesStatus} it is not known
 * @param held ids of the devices: UUIDs of GPUs, {@code MIG-} UUIDs of their slices
 * @param unhealthy those that the kubelet holds for unhealthy
 */
public record PodDevices(boolean known, Set<String> held, List<DeviceHealth> unhealthy) {
  /** A pod of which nothing is known. */
  public static final PodDevices UNKNOWN = new PodDevices(false, Set.of(), List.of());

  public PodDevices {
    held = Set.copyOf(held);
    unhealthy = List.copyOf(unhealthy);
  }
}
