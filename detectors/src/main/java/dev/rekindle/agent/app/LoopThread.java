package dev.rekindle.agent.app;

import dev.rekindle.logging.LogKey;
import java.io.Closeable;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A thread that does a round whenever it is woken, or the time came that the last round named. */
final class LoopThread implements Closeable {
  private static final Duration LAST_ACT = Duration.ofSeconds(2);
  private static final Logger LOG = LoggerFactory.getLogger(LoopThread.class);

  private final String name;
  private final Semaphore changes = new Semaphore(0);
  private final InstantSource clock;
  private volatile Instant lastRound;
  private volatile boolean closed;
  private volatile @Nullable Thread thread;

  /** Rounds of that name, none of which comes before {@link #start}; waking them is remembered. */
  LoopThread(String name, InstantSource clock) {
    this.name = name;
    this.clock = clock;
    lastRound = clock.instant();
  }

  /**
   * Begins with a first round at once; once only. The process lives as long as the thread does.
   *
   * @param afterFailure until the next round where one threw
   * @param round does one, and says how long the next may wait
   */
  void start(Duration afterFailure, Supplier<Duration> round) {
    // No daemon: these threads are what keeps the process running.
    thread = Thread.ofPlatform().name(name).start(() -> run(afterFailure, round));
  }

  private void run(Duration afterFailure, Supplier<Duration> round) {
    while (!closed) {
      var pause = afterFailure;
      try {
        pause = round.get();
      } catch (RuntimeException | Error e) {
        // An Error that one input brought about must not end the work on all others.
        LOG.atError()
            .addKeyValue(LogKey.LOOP.key(), name)
            .setCause(e)
            .log("Loop iteration failed; continuing");
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

  /** Something changed: the next round comes at once. From any thread. */
  void wake() {
    changes.release();
  }

  /** Why they do not work; empty when they do. */
  String notAlive(Duration stuck) {
    var running = thread;
    if (running == null) {
      return ""; // The process has just started, or is about to say why it cannot.
    }
    if (!running.isAlive()) {
      return "the " + name + " loop has ended";
    }
    return lastRound.plus(stuck).isBefore(clock.instant()) ? "the " + name + " loop is stuck" : "";
  }

  @Override
  public void close() {
    closed = true;
    wake();
    var running = thread;
    if (running == null) {
      return;
    }
    try {
      var _ = running.join(LAST_ACT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
