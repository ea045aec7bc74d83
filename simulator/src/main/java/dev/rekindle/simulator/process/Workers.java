package dev.rekindle.simulator.process;

import dev.rekindle.controller.runtime.Backoff;
import dev.rekindle.controller.runtime.Reconciler;
import dev.rekindle.controller.runtime.WorkQueue;
import dev.rekindle.detect.SteadyClock;
import dev.rekindle.simulator.engine.Fiber;
import dev.rekindle.simulator.engine.Loop;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** The controller's work queue, with fibers for its workers. */
final class Workers<K> {
  /** Reconciles at one moment: between them no time passes, and so many have no end. */
  private static final int RESTLESS = 10_000;

  private final Loop loop;
  private final LongSupplier notBefore;
  private final SteadyClock clock;
  private final WorkQueue<K> queue;
  private final Reconciler<K> reconciler;
  private final int most;
  private final Consumer<Throwable> failures;
  private final List<Fiber> busy = new ArrayList<>();
  private final Deque<Fiber> idle = new ArrayDeque<>();
  private boolean started;
  private boolean stopped;
  private Instant alarm = Instant.MAX;
  private long moment;
  private int atOnce;

  Workers(
      Loop loop,
      LongSupplier notBefore,
      SteadyClock clock,
      Backoff backoff,
      Reconciler<K> reconciler,
      int most,
      Consumer<Throwable> failures) {
    this.loop = loop;
    this.notBefore = notBefore;
    this.clock = clock;
    this.queue = new WorkQueue<>("sim", backoff, clock);
    this.reconciler = reconciler;
    this.most = most;
    this.failures = failures;
  }

  void add(K key) {
    queue.add(key);
    pump();
  }

  void start() {
    started = true;
    pump();
  }

  void stop() {
    stopped = true;
    List.copyOf(busy).forEach(Fiber::kill);
    List.copyOf(idle).forEach(Fiber::kill);
  }

  private void pump() {
    if (!started || stopped) {
      return;
    }
    Optional<Instant> next = queue.next();
    if (next.isEmpty()) {
      return;
    }
    Duration wait = Duration.between(clock.instant(), next.get());
    if (wait.isPositive()) {
      wakeAt(next.get(), wait);
    } else if (busy.size() < most) {
      work();
    }
  }

  private void wakeAt(Instant when, Duration wait) {
    if (when.isBefore(alarm)) {
      alarm = when;
      loop.after(
          wait.plusNanos(1_000),
          () -> {
            if (when.equals(alarm)) {
              alarm = Instant.MAX;
            }
            pump();
          });
    }
  }

  private void work() {
    Fiber rested = idle.poll();
    if (rested == null) {
      busy.add(Fiber.start(loop, notBefore, this::live));
    } else {
      busy.add(rested);
      rested.wake();
    }
  }

  private void live() {
    Fiber self = Fiber.current();
    while (!stopped) {
      while (!stopped && queue.step(this::reconcile)) {
        // Goes on while there is work.
        endIfRestless();
      }
      busy.remove(self);
      idle.add(self);
      pump();
      Fiber.park();
    }
  }

  /**
   * A key that is to be reconciled again at once, each time, would keep its process busy for ever.
   */
  private void endIfRestless() {
    atOnce = loop.micros() == moment ? atOnce + 1 : 0;
    moment = loop.micros();
    if (atOnce >= RESTLESS) {
      stopped = true;
      failures.accept(
          new IllegalStateException(atOnce + " reconciles at one moment: none of them rests"));
    }
  }

  private Optional<Duration> reconcile(K key) {
    try {
      return reconciler.reconcile(key);
    } catch (RuntimeException failed) {
      failures.accept(failed);
      throw failed;
    }
  }
}
