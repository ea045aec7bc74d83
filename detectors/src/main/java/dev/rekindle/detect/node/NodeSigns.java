package dev.rekindle.detect.node;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a Node object shows beside its readiness.
 *
 * @param conditions those that were requested, but Ready, at most 64
 * @param shortfalls device resources of which less can be asked for than there is
 * @param sickDevices ids of devices that HAMi registers as unhealthy
 * @param owner who else is at work on it, absent when there is none
 */
public record NodeSigns(
    List<ConditionReading> conditions,
    List<Shortfall> shortfalls,
    List<String> sickDevices,
    @Nullable NodeOwner owner) {
  /** A node that shows nothing. */
  public static final NodeSigns NONE = new NodeSigns(List.of(), List.of(), List.of(), null);

  public NodeSigns {
    conditions = List.copyOf(conditions);
    shortfalls = List.copyOf(shortfalls);
    sickDevices = List.copyOf(sickDevices);
  }
}
