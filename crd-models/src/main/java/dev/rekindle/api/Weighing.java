package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.ValidationRule;
import org.jspecify.annotations.Nullable;

/**
 * How often a fault must come before it is the hardware's and not a program's. Whatever is absent
 * takes the default named here. No count exceeds what a NodeFault keeps: 12 incidents.
 *
 * @param owners so many programs of different owners, hit at the same place by a code that programs
 *     can cause, fence; never one alone; default 2
 * @param incidents so many incidents of a code that no program can cause, or bursts of any errors
 *     of hardware or driver, on one device fence; default 5
 * @param linkIncidents so many incidents on one NVLink that tell of its connection fence; default 2
 * @param linkEccIncidents so many incidents on one NVLink that tell of ECC or parity fence; default
 *     3
 * @param firmwareIncidents so many incidents of the firmware of one NIC fence; default 2
 * @param stormLinks links of one GPU that a storm of lost NVLink requests takes in, at least, to
 *     fence; default 10
 * @param windowSeconds incidents that lie further apart are not counted together; default 86400
 * @param stickySeconds errors of one NVLink within this time of each other are one incident; at
 *     most {@code windowSeconds}; default 10800
 * @param reboots what has come back after so many reboots is not cleared by another; default 2
 * @param rebootWindowSeconds the time over which {@code reboots} counts; default 604800
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
@ValidationRule(
    value =
        "(has(self.stickySeconds) ? self.stickySeconds : 10800)"
            + " <= (has(self.windowSeconds) ? self.windowSeconds : 86400)",
    message = "stickySeconds (default 10800) must not exceed windowSeconds (default 86400)")
public record Weighing(
    @Nullable @Min(2) @Max(Bounds.INCIDENTS) Integer owners,
    @Nullable @Min(2) @Max(Bounds.INCIDENTS) Integer incidents,
    @Nullable @Min(2) @Max(Bounds.INCIDENTS) Integer linkIncidents,
    @Nullable @Min(2) @Max(Bounds.INCIDENTS) Integer linkEccIncidents,
    @Nullable @Min(2) @Max(Bounds.INCIDENTS) Integer firmwareIncidents,
    @Nullable @Min(2) @Max(18) Integer stormLinks,
    @Nullable @Min(3600) @Max(7 * Bounds.DAY) Integer windowSeconds,
    @Nullable @Min(0) @Max(Bounds.DAY) Integer stickySeconds,
    @Nullable @Min(1) @Max(10) Integer reboots,
    @Nullable @Min(Bounds.DAY) @Max(30 * Bounds.DAY) Integer rebootWindowSeconds) {
  /** One that says nothing. */
  public static final Weighing NONE =
      new Weighing(null, null, null, null, null, null, null, null, null, null);
}
