package dev.rekindle.simulator.chaos;

/** The outcome of a stall whose ranks agents inspected, compared with what these ranks did. */
enum StallResult {
  /** All that are named stood still, and each rank had written a dump. */
  NAMED("stalls with all dumps: a rank named that stood still"),
  MISNAMED("stalls with all dumps: a rank named that did not stand still"),
  SILENT("stalls with all dumps: none named, one stood still"),
  BETWEEN("stalls with all dumps: none named, none stood still"),
  NAMED_BY_LESS("stalls with fewer dumps: a rank named that stood still"),
  MISNAMED_BY_LESS("stalls with fewer dumps: a rank named that did not stand still"),
  SILENT_FOR_LESS("stalls with fewer dumps: none named, one stood still"),
  BETWEEN_FOR_LESS("stalls with fewer dumps: none named, none stood still"),
  /** The device of a rank stood still: not its host, or not only that. */
  DEVICE_NAMED("stalls of devices: a rank named that stood still"),
  DEVICE_MISNAMED("stalls of devices: a rank named that did not stand still"),
  DEVICE_SILENT("stalls of devices: none named");

  private final String words;

  StallResult(String words) {
    this.words = words;
  }

  /** What it is called where it is counted. */
  String words() {
    return words;
  }

  /** That of a stall in which the device of a rank stood still. */
  static StallResult ofDevice(boolean named, boolean truly) {
    return named ? (truly ? DEVICE_NAMED : DEVICE_MISNAMED) : DEVICE_SILENT;
  }

  /** Whether a rank was named, rightly; of none named it says nothing. */
  boolean isTrueName() {
    return this == NAMED || this == NAMED_BY_LESS || this == DEVICE_NAMED;
  }

  /** Whether a rank was named, wrongly. */
  boolean isFalseName() {
    return this == MISNAMED || this == MISNAMED_BY_LESS || this == DEVICE_MISNAMED;
  }

  /**
   * That of one stall.
   *
   * @param whole whether each rank had written a dump
   * @param named whether a rank was named
   * @param truly whether all that are named stood still; of none named, whether none did
   */
  static StallResult of(boolean whole, boolean named, boolean truly) {
    if (named) {
      return truly ? (whole ? NAMED : NAMED_BY_LESS) : (whole ? MISNAMED : MISNAMED_BY_LESS);
    }
    return truly ? (whole ? BETWEEN : BETWEEN_FOR_LESS) : (whole ? SILENT : SILENT_FOR_LESS);
  }
}
