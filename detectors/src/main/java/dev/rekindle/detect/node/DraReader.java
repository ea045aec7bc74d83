package dev.rekindle.detect.node;

import dev.rekindle.detect.ApiTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads ResourceSlices and DeviceTaintRules of dynamic resource allocation, as trees: their group
 * has had five versions, and what matters here is the same in all of them but for one level ({@code
 * basic}). Never throws, whatever the object holds.
 */
public final class DraReader {
  private static final String PCI_BUS_ID = "resource.kubernetes.io/pciBusID";
  private static final int MAX_TAINTS = 256;
  private static final int MAX_WORD = 253;

  private DraReader() {}

  /**
   * Reads the spec of a ResourceSlice.
   *
   * @return empty when it names no driver or no pool
   */
  public static Optional<DeviceSlice> slice(@Nullable Object spec) {
    String driver = word(spec, "driver");
    String pool = word(child(spec, "pool"), "name");
    if (driver.isEmpty() || pool.isEmpty()) {
      return Optional.empty();
    }
    List<DeviceTaint> taints = new ArrayList<>();
    for (Object device : list(spec, "devices")) {
      Object basic = child(device, "basic");
      Object body = basic == null ? device : basic;
      for (Object taint : list(body, "taints")) {
        if (taints.size() < MAX_TAINTS) {
          taints.add(taint(taint, driver, pool, word(device, "name"), false, address(body)));
        }
      }
    }
    return Optional.of(new DeviceSlice(word(spec, "nodeName"), driver, pool, taints));
  }

  /**
   * Reads the spec of a DeviceTaintRule.
   *
   * @return empty when it names no pool: one for a whole driver or class is a maintenance and no
   *     fault of a node
   */
  public static Optional<DeviceTaint> rule(@Nullable Object spec) {
    Object selector = child(spec, "deviceSelector");
    String pool = word(selector, "pool");
    boolean selected =
        !word(selector, "deviceClassName").isEmpty() || !list(selector, "selectors").isEmpty();
    Object taint = child(spec, "taint");
    return pool.isEmpty() || word(taint, "key").isEmpty()
        ? Optional.empty()
        : Optional.of(
            taint(taint, word(selector, "driver"), pool, word(selector, "device"), selected, ""));
  }

  private static DeviceTaint taint(
      @Nullable Object taint,
      String driver,
      String pool,
      String device,
      boolean selected,
      String address) {
    return new DeviceTaint(
        driver,
        pool,
        device,
        selected,
        address,
        word(taint, "key"),
        word(taint, "value"),
        word(taint, "effect"),
        ApiTime.parse(word(taint, "timeAdded")));
  }

  private static String address(@Nullable Object body) {
    return word(child(child(body, "attributes"), PCI_BUS_ID), "string");
  }

  private static @Nullable Object child(@Nullable Object tree, String key) {
    return tree instanceof Map<?, ?> map ? map.get(key) : null;
  }

  private static List<?> list(@Nullable Object tree, String key) {
    return child(tree, key) instanceof List<?> list ? list : List.of();
  }

  private static String word(@Nullable Object tree, String key) {
    if (!(child(tree, key) instanceof String text)) {
      return "";
    }
    return text.length() <= MAX_WORD ? text : text.substring(0, MAX_WORD);
  }
}
