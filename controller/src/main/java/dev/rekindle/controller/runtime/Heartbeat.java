package dev.rekindle.controller.runtime;

/**
 * How a long reconcile shows that it makes progress: a gang of thousands takes thousands of calls,
 * and a slow API server minutes for them. Each call that has ended, in whatever way, is a beat; a
 * call that never ends is none.
 */
public final class Heartbeat {
  private static final ScopedValue<Runnable> CURRENT = ScopedValue.newInstance();

  private Heartbeat() {}

  /** A call has ended. Does nothing outside a reconcile. */
  public static void beat() {
    if (CURRENT.isBound()) {
      CURRENT.get().run();
    }
  }

  /** Runs a reconcile that beats like that. */
  static void during(Runnable beat, Runnable reconcile) {
    ScopedValue.where(CURRENT, beat).run(reconcile);
  }

  /** The action, beating for the reconcile that requests this, on whatever thread it runs. */
  static Runnable carried(Runnable action) {
    if (!CURRENT.isBound()) {
      return action;
    }
    Runnable beat = CURRENT.get();
    return () -> during(beat, action);
  }
}
