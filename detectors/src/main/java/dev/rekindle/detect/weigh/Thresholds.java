package dev.rekindle.detect.weigh;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;

/**
 * How often is too often. One set for the controller and for {@code rekindle judge}.
 *
 * @param owners so many programs of different owners hit at the same place by a code that programs
 *     can cause
 * @param incidents so many incidents of one code, or bursts of any errors of hardware or driver, on
 *     one device
 * @param linkIncidents so many incidents on one NVLink that tell of its connection
 * @param linkEccIncidents so many incidents on one NVLink that tell of ECC or parity
 * @param firmwareIncidents so many incidents of the firmware of one NIC
 * @param stormLinks links of one GPU that one burst of lost NVLink requests takes in
 * @param window how far incidents may lie apart
 * @param silence a longer silence ends a burst
 * @param sticky an NVLink error within this time of another on the same link is still the same
 *     incident
 * @param reboots after so many an error that comes back is no matter of a reboot
 * @param rebootWindow within how long
 */
@RecordBuilder
public record Thresholds(
    int owners,
    int incidents,
    int linkIncidents,
    int linkEccIncidents,
    int firmwareIncidents,
    int stormLinks,
    Duration window,
    Duration silence,
    Duration sticky,
    int reboots,
    Duration rebootWindow)
    implements ThresholdsBuilder.With {
  /** Those that hold where nothing else is said. */
  public static final Thresholds DEFAULT =
      new Thresholds(
          2,
          5,
          2,
          3,
          2,
          10,
          Duration.ofHours(24),
          Duration.ofMinutes(3),
          Duration.ofHours(3),
          2,
          Duration.ofDays(7));
}
