package dev.rekindle.detect.node;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ResourceHealth;
import io.fabric8.kubernetes.api.model.ResourceStatus;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads which devices a pod holds and how they are. Never throws, whatever the object holds. */
public final class PodDeviceReader {
  private static final int MAX_DEVICES = 256;
  private static final int MAX_TEXT = 256;

  private PodDeviceReader() {}

  /**
   * Reads a pod. HAMi's annotation takes precedence: the kubelet reports only its virtual devices.
   */
  public static PodDevices read(Pod pod) {
    Set<String> held = new LinkedHashSet<>();
    List<DeviceHealth> unhealthy = new ArrayList<>();
    for (ContainerStatus container : containers(pod)) {
      for (ResourceStatus resource : orEmpty(container.getAllocatedResourcesStatus())) {
        collect(resource, held, unhealthy);
      }
    }
    Optional<Set<String>> hami = HamiDevices.held(pod);
    if (hami.isPresent()) {
      return new PodDevices(true, hami.get(), unhealthy);
    }
    return held.isEmpty() ? PodDevices.UNKNOWN : new PodDevices(true, held, unhealthy);
  }

  private static void collect(
      ResourceStatus resource, Set<String> held, List<DeviceHealth> unhealthy) {
    for (ResourceHealth device : orEmpty(resource.getResources())) {
      String id = plain(cut(device.getResourceID()));
      if (id.isEmpty() || held.size() >= MAX_DEVICES) {
        continue;
      }
      boolean first = held.add(id);
      if (first && "Unhealthy".equals(device.getHealth())) {
        unhealthy.add(new DeviceHealth(cut(resource.getName()), id, cut(device.getMessage())));
      }
    }
  }

  /** A slice in time of a device carries its number behind two colons. */
  static String plain(String id) {
    int slice = id.indexOf("::");
    return slice > 0 ? id.substring(0, slice) : id;
  }

  private static List<ContainerStatus> containers(Pod pod) {
    return pod.getStatus() == null ? List.of() : orEmpty(pod.getStatus().getContainerStatuses());
  }

  private static <T> List<T> orEmpty(@Nullable List<T> list) {
    return list == null ? List.of() : list.stream().filter(Objects::nonNull).toList();
  }

  private static String cut(@Nullable String text) {
    if (text == null) {
      return "";
    }
    return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT);
  }
}
