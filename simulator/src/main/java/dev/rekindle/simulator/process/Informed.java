package dev.rekindle.simulator.process;

/** What a watch of a process of the controller tells of. */
public enum Informed {
  POLICIES,
  SCORECARDS,
  NODES,
  FAULTS,
  JOBS,
  PODS,
  RANKS,
  RECOVERIES,
  ORDERS,
  RESTARTS
}
