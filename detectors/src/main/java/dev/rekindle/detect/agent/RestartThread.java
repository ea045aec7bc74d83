package dev.rekindle.detect.agent;

import java.io.Closeable;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread of the {@link RestartLoop}: a round whenever something changed, or its time came. */
final class RestartThread implements Closeable {
  private static final Duration LAST_ACT = Duration.ofSeconds(2);
  private static final Logger LOG = LoggerFactory.getLogger(RestartThread.class);

  private final Semaphore changes;
  private final InstantSource clock;
  private final Thread thread;
  private volatile Instant lastRound;
  private volatile boolean closed;

  /**
   * Starts it.
   *
   * @param changes a permit for each change
   */
  RestartThread(RestartLoop loop, Semaphore changes, InstantSource clock) {
    this.changes = changes;
    this.clock = clock;
    lastRound = clock.instant();
    thread = Thread.ofPlatform().daemon().name("restart").start(() -> run(loop));
  }

  private void run(RestartLoop loop) {
    while (!closed) {
      var pause = RestartLoop.ACTIVE;
      try {
        pause = loop.round();
      } catch (RuntimeException e) {
        LOG.atError().setCause(e).log("A round of restarts failed; the next one comes");
      }
      lastRound = clock.instant();
      try {
        var _ = changes.tryAcquire(pause.toMillis(), TimeUnit.MILLISECONDS);
        changes.drainPermits();
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /** Why it does not work; empty when it does. */
  String notAlive(Duration stuck) {
    if (!thread.isAlive()) {
      return "the restart loop has ended";
    }
    return lastRound.plus(stuck).isBefore(clock.instant()) ? "the restart loop is stuck" : "";
  }

  @Override
  public void close() {
    closed = true;
    changes.release();
    try {
      thread.join(LAST_ACT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
