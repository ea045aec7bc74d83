package dev.rekindle.controller.kubernetes.convert;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What a warm spare is made of: the pod template of the workers that it stands for. */
public final class SpareTemplate {
  /** Of a worker; one with more has no spare. */
  private static final int MOST_CONTAINERS = 16;

  /** Volumes of a worker that are read. */
  private static final int MOST_CLAIMS = 16;

  private SpareTemplate() {}

  /** Why no spare can stand for pods of a template, for people; empty where one can. */
  public static String problem(@Nullable PodSpec worker) {
    if (worker == null || orEmpty(worker.getContainers()).isEmpty()) {
      return "the template has no containers";
    }
    if (containers(worker).size() > MOST_CONTAINERS) {
      return "the template has more than %d containers".formatted(MOST_CONTAINERS);
    }
    return orEmpty(worker.getResourceClaims()).isEmpty()
        ? ""
        : "the pods get devices by resource claims, which a spare cannot hold for them";
  }

  /** What spares are made of, as a hash: another one makes those that are there useless. */
  static String fingerprint(@Nullable PodSpec worker) {
    if (worker == null) {
      return "";
    }
    StringBuilder text = new StringBuilder();
    for (Container container : containers(worker)) {
      text.append(container.getImage()).append('\n').append(container.getImagePullPolicy());
      ResourceRequirements asked = container.getResources();
      if (asked != null) {
        text.append('\n').append(sorted(asked.getRequests())).append(sorted(asked.getLimits()));
      }
      text.append('\n');
    }
    text.append(new TreeMap<>(orEmpty(worker.getNodeSelector())))
        .append(orEmpty(worker.getTolerations()))
        .append(orEmpty(worker.getImagePullSecrets()))
        .append(worker.getSchedulerName())
        .append(worker.getRuntimeClassName())
        .append(claims(worker));
    return UUID.nameUUIDFromBytes(text.toString().getBytes(StandardCharsets.UTF_8)).toString();
  }

  private static Map<String, String> sorted(@Nullable Map<String, Quantity> resources) {
    Map<String, String> sorted = new TreeMap<>();
    orEmpty(resources).forEach((name, amount) -> sorted.put(name, String.valueOf(amount)));
    return sorted;
  }

  /** Names of the claims that the worker's pods mount, in order. */
  public static List<String> claims(PodSpec worker) {
    return orEmpty(worker.getVolumes()).stream()
        .filter(v -> v != null && v.getPersistentVolumeClaim() != null)
        .map(v -> v.getPersistentVolumeClaim().getClaimName())
        .filter(Objects::nonNull)
        .distinct()
        .sorted(Comparator.naturalOrder())
        .limit(MOST_CLAIMS)
        .toList();
  }

  /** All containers, those that initialize among them. */
  static List<Container> containers(PodSpec worker) {
    List<Container> all = new ArrayList<>(orEmpty(worker.getContainers()));
    all.addAll(orEmpty(worker.getInitContainers()));
    all.removeIf(Objects::isNull);
    return all;
  }

  private static <T> List<T> orEmpty(@Nullable List<T> list) {
    return Optional.ofNullable(list).orElse(List.of());
  }

  private static <K, V> Map<K, V> orEmpty(@Nullable Map<K, V> map) {
    return Optional.ofNullable(map).orElse(Map.of());
  }
}
