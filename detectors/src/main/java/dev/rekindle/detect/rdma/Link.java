package dev.rekindle.detect.rdma;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a port was up and down. Dropped and flapping are what gpud calls so.
 *
 * @param everUp whether it was ever seen up; one that never was may have no cable
 * @param downSince since when it is down
 * @param downs its count of lost links by then
 * @param dropped whether it is, or until lately was, down for long
 * @param upSince since when it is up again after it was dropped
 * @param flaps when it came back after it was down for a while
 * @param bestRate the highest speed it had, in Gb/s
 * @param rate the speed it has
 */
record Link(
    boolean everUp,
    @Nullable Instant downSince,
    long downs,
    boolean dropped,
    @Nullable Instant upSince,
    List<Instant> flaps,
    int bestRate,
    int rate) {
  /** Down for so long is dropped. */
  static final Duration DROP = Duration.ofMinutes(4);

  /** Dropped it stays for so long after it came back. */
  static final Duration STICKY = Duration.ofMinutes(10);

  /** Down for less is no flap. */
  static final Duration FLAP = Duration.ofSeconds(25);

  static final int FLAPS = 3;
  static final Duration FLAP_WINDOW = Duration.ofHours(12);
  private static final int MOST_FLAPS = 32;

  static final Link NEW = new Link(false, null, 0, false, null, List.of(), 0, 0);

  Link {
    flaps = flaps == null ? List.of() : List.copyOf(flaps);
  }

  /** After a boot only what the port could once do counts. */
  Link afterBoot() {
    return new Link(everUp, null, 0, false, null, List.of(), bestRate, 0);
  }

  /** With one more poll of the port. */
  Link and(PortReading port, Instant now) {
    return port.up() ? up(port, now) : down(port, now);
  }

  private Link up(PortReading port, Instant now) {
    var back = dropped && upSince == null ? now : upSince;
    var over = back == null || !now.isBefore(back.plus(STICKY));
    return new Link(
        true,
        null,
        downs(port),
        dropped && !over,
        dropped && !over ? back : null,
        flapsWith(downSince, now),
        Math.max(bestRate, port.rate()),
        port.rate());
  }

  private Link down(PortReading port, Instant now) {
    if (!everUp) {
      return this;
    }
    var lost = downs(port);
    // It was up in between when the count grew while it is down.
    var again = downSince != null && lost > downs;
    var since = downSince == null || again ? now : downSince;
    return new Link(
        true,
        since,
        lost,
        dropped || !now.isBefore(since.plus(DROP)),
        null,
        flapsWith(again ? downSince : null, now),
        bestRate,
        0);
  }

  private long downs(PortReading port) {
    return port.counters().getOrDefault(Threshold.LINK_DOWNED, downs);
  }

  private List<Instant> flapsWith(@Nullable Instant wasDownSince, Instant now) {
    List<Instant> all = new ArrayList<>(flaps);
    if (wasDownSince != null && !now.isBefore(wasDownSince.plus(FLAP))) {
      all.add(now);
    }
    all.removeIf(one -> one.isBefore(now.minus(FLAP_WINDOW)));
    return all.subList(Math.max(0, all.size() - MOST_FLAPS), all.size());
  }

  boolean flapping() {
    return flaps.size() >= FLAPS;
  }

  boolean degraded() {
    return rate > 0 && rate < bestRate;
  }
}
