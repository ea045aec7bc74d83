package dev.rekindle.simulator.process;

import java.time.Duration;

/** The delays of calls about the lease, besides the faults of all calls. */
public interface LeaseCalls {
  /** They take no time. */
  LeaseCalls PROMPT =
      new LeaseCalls() {
        @Override
        public Duration answer() {
          return Duration.ZERO;
        }

        @Override
        public Duration afterStandstill() {
          return Duration.ZERO;
        }
      };

  /** From the effect of the next one until its answer is there. */
  Duration answer();

  /** From when a paused process continues until it sends its next one. */
  Duration afterStandstill();
}
