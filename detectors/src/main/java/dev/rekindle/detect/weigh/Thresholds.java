package dev.rekindle.detect.weigh;

import dev.rekindle.api.DetectionPolicy;
import dev.rekindle.api.Weighing;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How often is too often. One set for the controller and for {@code rekindle judge}; {@link
 * Weighing} says what a policy may change.
 *
 * @param owners so many programs of different owners hit at the same place by a code that programs
 *     can cause
 * @param incidents so many incidents of one code, or bursts of any errors of hardware or driver, on
 *     one device
 * @param linkIncidents so many incidents on one NVLink about its connection
 * @param linkEccIncidents so many incidents on one NVLink about ECC or parity
 * @param firmwareIncidents so many incidents of the firmware of one NIC
 * @param stormLinks links of one GPU that one burst of lost NVLink requests takes in
 * @param window how far incidents may be apart
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
          Weighing.OWNERS,
          Weighing.INCIDENTS,
          Weighing.LINK_INCIDENTS,
          Weighing.LINK_ECC_INCIDENTS,
          Weighing.FIRMWARE_INCIDENTS,
          Weighing.STORM_LINKS,
          Duration.ofSeconds(Weighing.WINDOW),
          Duration.ofSeconds(DetectionPolicy.INCIDENT_GAP),
          Duration.ofSeconds(Weighing.STICKY),
          Weighing.REBOOTS,
          Duration.ofSeconds(Weighing.REBOOT_WINDOW));

  /** Those of a policy. The API server has already refused what the schema forbids. */
  public static Thresholds of(DetectionPolicy policy) {
    var set = Objects.requireNonNullElse(policy.weighing(), Weighing.NONE);
    return new Thresholds(
        orElse(set.owners(), DEFAULT.owners),
        orElse(set.incidents(), DEFAULT.incidents),
        orElse(set.linkIncidents(), DEFAULT.linkIncidents),
        orElse(set.linkEccIncidents(), DEFAULT.linkEccIncidents),
        orElse(set.firmwareIncidents(), DEFAULT.firmwareIncidents),
        orElse(set.stormLinks(), DEFAULT.stormLinks),
        seconds(set.windowSeconds(), DEFAULT.window),
        seconds(policy.incidentGapSeconds(), DEFAULT.silence),
        seconds(set.stickySeconds(), DEFAULT.sticky),
        orElse(set.reboots(), DEFAULT.reboots),
        seconds(set.rebootWindowSeconds(), DEFAULT.rebootWindow));
  }

  private static int orElse(@Nullable Integer value, int otherwise) {
    return value == null ? otherwise : value;
  }

  private static Duration seconds(@Nullable Integer value, Duration otherwise) {
    return value == null ? otherwise : Duration.ofSeconds(value);
  }
}
