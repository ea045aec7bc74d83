package dev.rekindle.detect.node;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A taint on devices, set by their driver in a ResourceSlice or by somebody in a DeviceTaintRule.
 *
 * @param driver driver of the devices, {@code gpu.nvidia.com}
 * @param pool pool that they are in, often the name of the node
 * @param device name within the pool; empty for all devices of the pool, or some of them
 * @param selected whether only those are meant that an expression or a class selects: which they
 *     are the API server alone can say
 * @param address its PCI address where the driver says, else empty
 * @param key taint key
 * @param value taint value, may be empty
 * @param effect {@code NoExecute}, {@code NoSchedule}; whatever else is there is information
 * @param since when it was added, where the object says
 */
public record DeviceTaint(
    String driver,
    String pool,
    String device,
    boolean selected,
    String address,
    String key,
    String value,
    String effect,
    @Nullable Instant since) {}
