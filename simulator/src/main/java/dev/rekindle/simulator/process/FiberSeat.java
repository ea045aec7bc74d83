package dev.rekindle.simulator.process;

import dev.rekindle.controller.runtime.GroupCommit;
import dev.rekindle.simulator.engine.Fiber;

/** Where a fiber waits for a commit that it shares with others. */
final class FiberSeat implements GroupCommit.Seat {
  private final Fiber fiber = Fiber.current();
  private boolean woken;

  @Override
  public void await() {
    while (!woken) {
      Fiber.park();
    }
  }

  @Override
  public void wake() {
    woken = true;
    fiber.wake();
  }
}
