package dev.rekindle.controller.nodehealth;

import java.util.Set;

/**
 * How the controller's own detectors sign their NodeFaults, and what clears them: each its own
 * only. The agents' sign otherwise; the chart's admission policy keeps the two apart.
 */
final class Detectors {
  static final String CONDITION = "condition";
  static final String DEVICE_PLUGIN = "device-plugin";
  static final String DRA = "dra";
  static final String ASCEND = "ascend";
  static final String HAMI = "hami";

  static final Set<String> OWN = Set.of(CONDITION, DEVICE_PLUGIN, DRA, ASCEND, HAMI);

  private Detectors() {}
}
