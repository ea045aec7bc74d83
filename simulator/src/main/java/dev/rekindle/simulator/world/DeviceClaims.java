package dev.rekindle.simulator.world;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What the components of one machine say of its devices, whether or not it is written anywhere. */
final class DeviceClaims {
  /** Numbers of the GPUs that its device plugin holds for unhealthy, and since when. */
  final Map<Integer, Instant> marked = new TreeMap<>();

  /** Since when its device plugin is away; absent while it is there. */
  @Nullable Instant pluginAway;

  /** Whether the kubelet has begun anew since then, and knows of no device. */
  boolean kubeletNew;

  /** Since when the plugin of its RDMA devices is away; absent while it is there. */
  @Nullable Instant hcasAway;

  /** Whether its DRA driver is away, so that no slice of it is kept. */
  boolean driverAway;

  /** How often its plugin went away or came back: what was planned for an earlier time is void. */
  int turn;

  /** The same of its DRA driver. */
  int driverTurn;

  /** Taints that its DRA driver or people have put on its devices, by key. */
  final Map<String, Taint> taints = new LinkedHashMap<>();

  /**
   * One taint.
   *
   * @param device number of the device; -1 for all
   * @param selected whether an expression selects the device
   * @param rule whether a DeviceTaintRule says so, and not the driver
   */
  record Taint(int device, boolean selected, boolean rule, String effect, Instant since) {
    /** Whether it is on that GPU. */
    boolean isOn(int gpu) {
      return device < 0 || device == gpu;
    }
  }

  /** It is another machine; what people say of the devices of its node stays. */
  void forget() {
    marked.clear();
    pluginAway = null;
    kubeletNew = false;
    hcasAway = null;
    driverAway = false;
    turn++;
    driverTurn++;
    taints.values().removeIf(taint -> !taint.rule());
  }
}
