package dev.rekindle.controller.kubernetes;

import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Interrupts a call that takes too long. The time-out of a request ends when its answer begins: an
 * answer that stops in the middle, of a kubelet that is asked for a log or of a connection that
 * died, is waited for without end by the client library, and with it the worker that has made the
 * call. Interrupted, the call fails like one that got no answer.
 */
final class TimeLimit {
  /** Longer than an API server works on a usual call. */
  private static final Duration USUAL = Duration.ofSeconds(60);

  private static final ScheduledThreadPoolExecutor CLOCK = clock();

  private final Duration limit;

  TimeLimit(Duration limit) {
    this.limit = limit;
  }

  /** The limit of calls to the API server. */
  static TimeLimit ofCalls() {
    return new TimeLimit(USUAL);
  }

  private static ScheduledThreadPoolExecutor clock() {
    ScheduledThreadPoolExecutor clock =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().name("call-limit").daemon().factory());
    clock.setRemoveOnCancelPolicy(true);
    return clock;
  }

  /** Makes the call on this thread. */
  <T extends @Nullable Object> T within(Supplier<T> call) {
    Running running = new Running(Thread.currentThread());
    var end = CLOCK.schedule(running::interrupt, limit.toMillis(), TimeUnit.MILLISECONDS);
    try {
      return call.get();
    } finally {
      var _ = end.cancel(false);
      running.over();
    }
  }

  private static final class Running {
    private final Thread thread;
    private boolean over;
    private boolean interrupted;

    Running(Thread thread) {
      this.thread = thread;
    }

    synchronized void interrupt() {
      if (!over) {
        interrupted = true;
        thread.interrupt();
      }
    }

    /** What was meant for the call is not to interrupt what this thread does next. */
    synchronized void over() {
      over = true;
      if (interrupted) {
        var _ = Thread.interrupted();
      }
    }
  }
}
