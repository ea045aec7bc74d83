package dev.rekindle.simulator.setup;

/** Who says how the devices of a cluster are. */
public enum DeviceStack {
  /** Nobody: a device plugin that never doubts. */
  NONE,
  /** Device plugins, and kubelets in the status of pods. */
  PLUGINS,
  /** DRA drivers, and people who taint devices. */
  DRA,
  /** HAMi, whose device plugins take back what they have said. */
  HAMI
}
