package dev.rekindle.watch;

import dev.rekindle.detect.SteadyClock;
import java.time.Duration;
import java.time.Instant;

/**
 * Whether a watch is still alive. If nothing happens, the API server sends a bookmark every minute.
 * So if the newest version does not change for longer, the connection is dead and was never closed,
 * for example because a firewall has dropped it. The version in a bookmark grows with the progress
 * that etcd reports. If etcd reports it rarely, an idle kind is listed again without need.
 */
public final class WatchLiveness {
  /** A bookmark may be half a minute late; to list once too often costs one call. */
  public static final Duration SILENT = Duration.ofSeconds(90);

  /**
   * A list that has not ended by then hangs: a time-out covers each answer until its body begins.
   */
  public static final Duration LISTED = Duration.ofMinutes(10);

  private final SteadyClock clock;
  private String version = "";
  private Instant since;

  /** One that begins now. */
  public WatchLiveness(SteadyClock clock) {
    this.clock = clock;
    this.since = clock.instant();
  }

  /** Takes the newest version that the watch has shown, by an event or a bookmark. */
  public synchronized void saw(String newest) {
    if (!newest.equals(version)) {
      version = newest;
      since = clock.instant();
    }
  }

  /** How long no event has arrived. */
  public synchronized Duration age() {
    return Duration.between(since, clock.instant());
  }

  /** Whether it is to be listed again now; asked again, only after as long again. */
  public synchronized boolean isSilent() {
    return isSilent(SILENT);
  }

  /** The same after another time. */
  public synchronized boolean isSilent(Duration most) {
    boolean silent = age().compareTo(most) > 0;
    if (silent) {
      since = clock.instant();
    }
    return silent;
  }
}
