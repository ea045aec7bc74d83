package dev.rekindle.simulator.process;

/** What a watch of a process of the controller shows. */
public enum InformerKind {
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
