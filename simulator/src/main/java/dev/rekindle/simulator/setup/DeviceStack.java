package dev.rekindle.simulator.setup;

/** Which components report the health of devices in a cluster. */
public enum DeviceStack {
  /** None: a device plugin that reports all devices as healthy. */
  NONE,
  /** Device plugins, and kubelets in the status of pods. */
  PLUGINS,
  /** DRA drivers, and people who taint devices. */
  DRA,
  /** HAMi, whose device plugins take back what they have said. */
  HAMI
}
