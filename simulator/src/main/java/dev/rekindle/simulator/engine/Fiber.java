package dev.rekindle.simulator.engine;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A thread of control in virtual time: code that was written for a real thread and waits in the
 * middle of it. Runs on a virtual thread of its own, but only while the loop is blocked and waits
 * for it, so that at any moment exactly one of them runs and every run is the same.
 */
public final class Fiber {
  /**
   * Unwinds a fiber whose process has died. An error, so that it is not taken for a failed call.
   */
  public static final class Killed extends Error {
    private static final long serialVersionUID = 1L;

    private Killed() {
      super("the process died", null, false, false);
    }
  }

  private static final ScopedValue<Fiber> CURRENT = ScopedValue.newInstance();

  private final Loop loop;
  private final LongSupplier notBefore;
  private final Thread thread;
  private volatile boolean mayRun;
  private volatile @Nullable Thread waiter;
  private volatile boolean ended;
  private boolean started;
  private boolean killed;
  private @Nullable Throwable failure;
  private long turn;

  private Fiber(Loop loop, LongSupplier notBefore, Runnable body) {
    this.loop = loop;
    this.notBefore = notBefore;
    this.thread =
        Thread.ofVirtual().unstarted(() -> ScopedValue.where(CURRENT, this).run(() -> live(body)));
  }

  /**
   * Starts a fiber with the next event of the loop.
   *
   * @param notBefore microseconds before which it may not run on: later than now while its process
   *     is paused
   */
  public static Fiber start(Loop loop, LongSupplier notBefore, Runnable body) {
    Fiber fiber = new Fiber(loop, notBefore, body);
    fiber.resumeAfter(Duration.ZERO);
    return fiber;
  }

  /** Waits, in the fiber that this is called from. */
  public static void sleep(Duration time) {
    Fiber fiber = CURRENT.get();
    fiber.resumeAfter(time);
    fiber.giveTurnBack();
  }

  /** Waits, in the fiber that calls it, until it is resumed. */
  public static void park() {
    Fiber fiber = CURRENT.get();
    fiber.turn++;
    fiber.giveTurnBack();
  }

  /** The fiber that this is called from. */
  public static Fiber current() {
    return CURRENT.get();
  }

  /** Resumes a parked fiber with the next event of the loop. */
  public void wake() {
    resumeAfter(Duration.ZERO);
  }

  /** Kills it: it unwinds at once and never continues. Must not be called from the fiber itself. */
  public void kill() {
    if (!ended && !killed) {
      killed = true;
      run();
    }
  }

  /** Whether it has come to its end. */
  public boolean ended() {
    return ended;
  }

  private void resumeAfter(Duration time) {
    long mine = ++turn;
    loop.after(time, () -> resume(mine));
  }

  private void resume(long mine) {
    if (ended || killed || mine != turn) {
      return;
    }
    long earliest = notBefore.getAsLong();
    if (earliest > loop.micros()) {
      loop.after(Duration.ofNanos((earliest - loop.micros()) * 1_000), () -> resume(mine));
      return;
    }
    run();
  }

  /** On the loop's side: lets it run until it waits or ends. */
  private void run() {
    waiter = Thread.currentThread();
    mayRun = true;
    if (started) {
      LockSupport.unpark(thread);
    } else {
      started = true;
      thread.start();
    }
    while (mayRun && !ended) {
      LockSupport.park(this);
    }
    Throwable thrown = failure;
    if (thrown != null) {
      failure = null;
      throw new IllegalStateException("a fiber failed", thrown);
    }
  }

  private void live(Runnable body) {
    try {
      awaitTurn();
      body.run();
    } catch (Killed unwound) {
      // As requested.
    } catch (Throwable broken) {
      failure = broken;
    } finally {
      ended = true;
      LockSupport.unpark(waiter);
    }
  }

  private void giveTurnBack() {
    if (killed) {
      // A caller has caught the unwinding; nothing is waited for any more.
      throw new Killed();
    }
    mayRun = false;
    LockSupport.unpark(waiter);
    awaitTurn();
  }

  private void awaitTurn() {
    while (!mayRun) {
      LockSupport.park(this);
    }
    if (killed) {
      throw new Killed();
    }
  }
}
