package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.ValidationRule;
import org.jspecify.annotations.Nullable;

/**
 * How often a fault must come before it is the hardware's and not a program's. No count exceeds
 * what a NodeFault keeps: 12 incidents.
 *
 * @param owners how many programs of different owners must be hit at the same place by a code that
 *     programs can cause, to fence the node; a single program never fences
 * @param incidents how many incidents of a code that no program can cause, or bursts of any errors
 *     of hardware or driver, on one device fence
 * @param linkIncidents how many incidents that concern the connection of one NVLink fence
 * @param linkEccIncidents how many incidents of ECC or parity on one NVLink fence
 * @param firmwareIncidents how many incidents of the firmware of one NIC fence
 * @param stormLinks how many links of one GPU a storm of lost NVLink requests must cover to fence
 * @param windowSeconds the longest time between incidents that are counted together
 * @param stickySeconds errors of one NVLink within this time of each other are one incident; at
 *     most {@code windowSeconds}
 * @param reboots a fault that has come back after this many reboots is not cleared by another one
 * @param rebootWindowSeconds the time over which {@code reboots} counts
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
@ValidationRule(
    value =
        "(has(self.stickySeconds) ? self.stickySeconds : "
            + Weighing.STICKY
            + ") <= (has(self.windowSeconds) ? self.windowSeconds : "
            + Weighing.WINDOW
            + ")",
    message = "stickySeconds must not exceed windowSeconds")
public record Weighing(
    @Nullable @Default("" + Weighing.OWNERS) @Min(2) @Max(Bounds.INCIDENTS) Integer owners,
    @Nullable @Default("" + Weighing.INCIDENTS) @Min(2) @Max(Bounds.INCIDENTS) Integer incidents,
    @Nullable @Default("" + Weighing.LINK_INCIDENTS) @Min(2) @Max(Bounds.INCIDENTS)
        Integer linkIncidents,
    @Nullable @Default("" + Weighing.LINK_ECC_INCIDENTS) @Min(2) @Max(Bounds.INCIDENTS)
        Integer linkEccIncidents,
    @Nullable @Default("" + Weighing.FIRMWARE_INCIDENTS) @Min(2) @Max(Bounds.INCIDENTS)
        Integer firmwareIncidents,
    @Nullable @Default("" + Weighing.STORM_LINKS) @Min(2) @Max(18) Integer stormLinks,
    @Nullable @Default("" + Weighing.WINDOW) @Min(3600) @Max(7 * Bounds.DAY) Integer windowSeconds,
    @Nullable @Default("" + Weighing.STICKY) @Min(0) @Max(Bounds.DAY) Integer stickySeconds,
    @Nullable @Default("" + Weighing.REBOOTS) @Min(1) @Max(10) Integer reboots,
    @Nullable @Default("" + Weighing.REBOOT_WINDOW) @Min(Bounds.DAY) @Max(30 * Bounds.DAY)
        Integer rebootWindowSeconds) {
  /** The default of {@code owners}. */
  public static final int OWNERS = 2;

  /** The default of {@code incidents}. */
  public static final int INCIDENTS = 5;

  /** The default of {@code linkIncidents}. */
  public static final int LINK_INCIDENTS = 2;

  /** The default of {@code linkEccIncidents}. */
  public static final int LINK_ECC_INCIDENTS = 3;

  /** The default of {@code firmwareIncidents}. */
  public static final int FIRMWARE_INCIDENTS = 2;

  /** The default of {@code stormLinks}. */
  public static final int STORM_LINKS = 10;

  /** The default of {@code windowSeconds}. */
  public static final int WINDOW = 86400;

  /** The default of {@code stickySeconds}. */
  public static final int STICKY = 10800;

  /** The default of {@code reboots}. */
  public static final int REBOOTS = 2;

  /** The default of {@code rebootWindowSeconds}. */
  public static final int REBOOT_WINDOW = 604800;

  /** One that sets nothing. */
  public static final Weighing NONE =
      new Weighing(null, null, null, null, null, null, null, null, null, null);
}
