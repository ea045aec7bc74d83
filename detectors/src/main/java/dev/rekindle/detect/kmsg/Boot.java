package dev.rekindle.detect.kmsg;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;

/**
 * The running boot of this node.
 *
 * @param id the kernel's random id of the boot, {@code /proc/sys/kernel/random/boot_id}
 * @param time when it began, on the wall clock of now
 */
public record Boot(String id, Instant time) {
  /**
   * Reads both from a proc file system.
   *
   * @param proc its root, {@code /proc}
   * @param clock the wall clock
   * @throws IOException when the boot id cannot be read, or the boot time cannot be determined
   */
  public static Boot read(Path proc, InstantSource clock) throws IOException {
    var id = Files.readString(proc.resolve("sys/kernel/random/boot_id")).strip();
    if (id.isEmpty()) {
      throw new IOException("the boot id in " + proc + " is empty");
    }
    return new Boot(id, bootTime(proc, clock));
  }

  /** The wall time of a record of this boot. */
  public Instant timeOf(KmsgRecord kmsg) {
    return time.plus(Duration.of(kmsg.microsSinceBoot(), ChronoUnit.MICROS));
  }

  /** From the uptime, as btime counts whole seconds only; from btime where there is no uptime. */
  private static Instant bootTime(Path proc, InstantSource clock) throws IOException {
    try {
      var uptime = Files.readString(proc.resolve("uptime"));
      var seconds = Double.parseDouble(uptime.substring(0, uptime.indexOf(' ')));
      return clock.instant().minus(Duration.ofMillis(Math.round(seconds * 1000)));
    } catch (IOException | RuntimeException noUptime) {
      for (var line : Files.readAllLines(proc.resolve("stat"))) {
        if (line.startsWith("btime ")) {
          return Instant.ofEpochSecond(Long.parseLong(line.substring(6).strip()));
        }
      }
      throw new IOException("neither uptime nor btime can be read in " + proc, noUptime);
    }
  }
}
