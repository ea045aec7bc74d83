package dev.rekindle.simulator.process;

import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.detect.SteadyClock;
import dev.rekindle.simulator.engine.Loop;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/** What else runs in the controller's process while it leads, beside its reconcilers. */
@FunctionalInterface
public interface Companion {
  /** Nothing. */
  Companion NONE = _ -> () -> {};

  /**
   * The process that leads, as far as it may be used.
   *
   * @param state its views
   * @param clock its clock on the wall, which may be wrong
   * @param steady its clock that never steps
   * @param loop what it runs on
   * @param notBefore microseconds before which none of its fibers may run on
   */
  record Leader(
      ClusterState state,
      InstantSource clock,
      SteadyClock steady,
      Loop loop,
      LongSupplier notBefore) {}

  /**
   * Begins in a process that leads and has seen everything.
   *
   * @return what ends it as the process dies
   */
  Runnable begin(Leader leader);
}
