package dev.rekindle.watch;

import dev.rekindle.detect.SteadyClock;
import java.time.Duration;
import java.time.Instant;

/**
 * When a watch last showed that it lives. The API server sends a bookmark every minute where
 * nothing happens, so a version that stands for longer shows a connection that is dead and was
 * never closed: a firewall that forgot it, say. The version in a bookmark grows with what etcd
 * reports of its progress. Where etcd does that seldom, an idle kind is listed for nothing.
 */
public final class Pulse {
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
  public Pulse(SteadyClock clock) {
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
