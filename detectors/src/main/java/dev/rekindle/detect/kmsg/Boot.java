package dev.rekindle.detect.kmsg;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.function.LongSupplier;

/**
 * The running boot of this node.
 *
 * @param id the kernel's random id of the boot, {@code /proc/sys/kernel/random/boot_id}
 * @param began when it began, on the wall clock as that is at the call
 */
public record Boot(String id, InstantSource began) {
  /** A boot on a node whose clock is never set. */
  public Boot(String id, Instant time) {
    this(id, InstantSource.fixed(time));
  }

  /**
   * Reads both from a proc file system.
   *
   * @param proc its root, {@code /proc}
   * @param clock the wall clock
   * @throws IOException when the boot id cannot be read, or the boot time cannot be determined
   */
  public static Boot read(Path proc, InstantSource clock) throws IOException {
    return read(proc, clock, System::nanoTime);
  }

  static Boot read(Path proc, InstantSource clock, LongSupplier nanoTime) throws IOException {
    var id = Files.readString(proc.resolve("sys/kernel/random/boot_id")).strip();
    if (id.isEmpty()) {
      throw new IOException("the boot id in " + proc + " is empty");
    }
    return new Boot(id, new BootClock(clock, nanoTime, uptime(proc, clock)));
  }

  /** When it began, on the wall clock of now. */
  public Instant time() {
    return began.instant();
  }

  /** The time of a record of this boot, on the wall clock of now. */
  public Instant timeOf(KmsgRecord kmsg) {
    return time().plus(Duration.of(kmsg.microsSinceBoot(), ChronoUnit.MICROS));
  }

  /** From the uptime, as btime counts whole seconds only; from btime where there is no uptime. */
  private static Duration uptime(Path proc, InstantSource clock) throws IOException {
    try {
      var uptime = Files.readString(proc.resolve("uptime"));
      var seconds = Double.parseDouble(uptime.substring(0, uptime.indexOf(' ')));
      return Duration.ofMillis(Math.round(seconds * 1000));
    } catch (IOException | RuntimeException noUptime) {
      for (var line : Files.readAllLines(proc.resolve("stat"))) {
        if (line.startsWith("btime ")) {
          var time = Instant.ofEpochSecond(Long.parseLong(line.substring(6).strip()));
          return Duration.between(time, clock.instant());
        }
      }
      throw new IOException("neither uptime nor btime can be read in " + proc, noUptime);
    }
  }
}
