package dev.rekindle.controller.runtime;

/**
 * How a long look shows that it goes on: a gang of thousands takes thousands of calls, and a slow
 * API server minutes for them. Each call that has ended, in whatever way, is a beat; a call that
 * never ends is none.
 */
public final class Heartbeat {
  private static final ScopedValue<Runnable> LOOK = ScopedValue.newInstance();

  private Heartbeat() {}

  /** A call has ended. Does nothing outside a look. */
  public static void beat() {
    if (LOOK.isBound()) {
      LOOK.get().run();
    }
  }

  /** Makes a look that beats like that. */
  static void during(Runnable beat, Runnable look) {
    ScopedValue.where(LOOK, beat).run(look);
  }

  /** The action, beating for the look that asks for this, on whatever thread it runs. */
  static Runnable carried(Runnable action) {
    if (!LOOK.isBound()) {
      return action;
    }
    Runnable beat = LOOK.get();
    return () -> during(beat, action);
  }
}
