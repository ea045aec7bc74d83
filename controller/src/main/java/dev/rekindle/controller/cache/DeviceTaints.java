package dev.rekindle.controller.cache;

import dev.rekindle.controller.model.DraView;
import dev.rekindle.detect.node.DeviceSlice;
import dev.rekindle.detect.node.DeviceTaint;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Taints of DRA devices by node: those that drivers write into ResourceSlices, and those that
 * DeviceTaintRules put on the devices of a pool.
 */
final class DeviceTaints {
  private final Table<DeviceSlice> slices = new Table<>();
  private final Table<DeviceSlice>.Index<String> slicesByNode = slices.index(DeviceSlice::node);
  private final Table<DeviceSlice>.Index<String> slicesByPool = slices.index(DeviceSlice::pool);
  private final Table<DeviceTaint> rules = new Table<>();

  /** The slices of the node, and the taints of all of its devices. */
  DraView on(String node) {
    List<DeviceSlice> there = slicesByNode.get(node);
    return there.isEmpty()
        ? DraView.NONE
        : new DraView(
            there,
            Stream.concat(
                    there.stream().flatMap(slice -> slice.taints().stream()),
                    rules.all().stream()
                        .filter(rule -> there.stream().anyMatch(slice -> isFor(rule, slice))))
                .distinct()
                .toList());
  }

  private static boolean isFor(DeviceTaint rule, DeviceSlice slice) {
    return rule.pool().equals(slice.pool())
        && (rule.driver().isEmpty() || rule.driver().equals(slice.driver()));
  }

  /** ResourceSlices; reports the node of one that changed. */
  ViewFeed<DeviceSlice> sliceFeed(Consumer<String> node) {
    return new TableFeed<>(slices, view -> node.accept(view.node()));
  }

  /** DeviceTaintRules; reports the nodes of the pool of one that changed. */
  ViewFeed<DeviceTaint> ruleFeed(Consumer<String> node) {
    return new TableFeed<>(
        rules, rule -> slicesByPool.get(rule.pool()).forEach(slice -> node.accept(slice.node())));
  }
}
