package dev.rekindle.simulator.drill;

import dev.rekindle.simulator.world.SimEvent;
import java.time.Duration;
import java.time.Instant;

/** Where a drill is printed. */
interface Output {
  /** Before anything happens; so many replicas of the controller run. */
  void begin(int controllers);

  /** Something happened, in the order of virtual time. */
  void event(SimEvent happening);

  /** From here on times count. */
  void strike(Scenario scenario, Instant at);

  /** How it ended, and how long the simulation took to compute. */
  void end(Result result, Duration computed);
}
