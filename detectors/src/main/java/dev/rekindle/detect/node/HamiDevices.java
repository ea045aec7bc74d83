package dev.rekindle.detect.node;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What HAMi writes into annotations: on a node the devices that it has registered, on a pod those
 * that it has given it. A kubelet reports only HAMi's virtual devices, so the annotation is the
 * only place that says which GPU a pod holds. Never throws, whatever an annotation holds.
 */
public final class HamiDevices {
  /** On a pod: containers joined by {@code ;}, devices by {@code :}, each {@code id,type,…}. */
  private static final String ALLOCATED = "hami.io/vgpu-devices-allocated";

  /** The same of other vendors. */
  private static final String OTHERS = "-devices-allocated";

  private static final String PREFIX = "hami.io/";

  /** On a node: JSON, or in older releases the same list with health in the seventh field. */
  private static final String REGISTER = "hami.io/node-nvidia-register";

  private static final int LEGACY_HEALTH = 6;
  private static final int MAX_TEXT = 64 * 1024;
  private static final int MAX_DEVICES = 256;
  private static final int MAX_ID = 128;

  private HamiDevices() {}

  /**
   * Ids of the devices that the pod holds.
   *
   * @return empty when HAMi has not given it any, or what it has written cannot be read: then it is
   *     not known
   */
  public static Optional<Set<String>> held(Pod pod) {
    Map<String, String> annotations = pod.getMetadata().getAnnotations();
    if (annotations == null) {
      return Optional.empty();
    }
    Set<String> held = new LinkedHashSet<>();
    for (Map.Entry<String, String> entry : annotations.entrySet()) {
      String key = entry.getKey();
      if (key.equals(ALLOCATED) || (key.startsWith(PREFIX) && key.endsWith(OTHERS))) {
        if (!collect(entry.getValue(), held)) {
          return Optional.empty();
        }
      }
    }
    return held.isEmpty() ? Optional.empty() : Optional.of(held);
  }

  private static boolean collect(@Nullable String text, Set<String> held) {
    if (text == null || text.length() > MAX_TEXT) {
      return false;
    }
    for (String container : text.split(";", -1)) {
      for (String device : container.split(":", -1)) {
        if (device.isBlank()) {
          continue;
        }
        int comma = device.indexOf(',');
        if (comma <= 0 || comma > MAX_ID || held.size() >= MAX_DEVICES) {
          return false;
        }
        held.add(physical(device.substring(0, comma).strip()));
      }
    }
    return true;
  }

  /** A slice of a GPU carries the GPU's id with its place in brackets. */
  private static String physical(String id) {
    int bracket = id.indexOf('[');
    return bracket > 0 ? id.substring(0, bracket) : id;
  }

  /** Ids of the devices of the node that HAMi holds for unhealthy. */
  static List<String> sick(Node node) {
    Map<String, String> annotations = node.getMetadata().getAnnotations();
    String register = annotations == null ? null : annotations.get(REGISTER);
    if (register == null || register.length() > MAX_TEXT) {
      return List.of();
    }
    return register.stripLeading().startsWith("[") ? sickByJson(register) : sickByList(register);
  }

  private static List<String> sickByJson(String register) {
    List<String> sick = new ArrayList<>();
    try {
      for (JsonNode device : Json.read(register)) {
        JsonNode health = device.path("health");
        String id = device.path("id").asText("");
        if (health.isBoolean() && !health.booleanValue() && usable(id, sick)) {
          sick.add(id);
        }
      }
    } catch (JsonProcessingException unreadable) {
      return List.of();
    }
    return sick;
  }

  private static List<String> sickByList(String register) {
    List<String> sick = new ArrayList<>();
    for (String device : register.split(":", -1)) {
      String[] fields = device.split(",", -1);
      if (fields.length > LEGACY_HEALTH
          && fields[LEGACY_HEALTH].strip().equals("false")
          && usable(fields[0].strip(), sick)) {
        sick.add(fields[0].strip());
      }
    }
    return sick;
  }

  private static boolean usable(String id, List<String> before) {
    return !id.isEmpty() && id.length() <= MAX_ID && before.size() < MAX_DEVICES;
  }
}
