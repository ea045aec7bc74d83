package dev.rekindle.testbed.scale;

/** What is waited for in one recovery, in the order in which it happens. */
enum Milestone {
  /** The NodeFault is about to be written. */
  FAULT,

  /** In place: the order to freeze was seen. */
  FREEZE_ORDERED,
  /** The API server has answered the last report of a frozen node. */
  FROZEN,
  /** The pod on the faulty node was seen to be deleted. */
  DELETED,
  /** The replacement was seen to be bound to a node. */
  PLACED,
  /** The replacement was seen to run. */
  REPLACED,
  /** The order to restart the leader was seen. */
  LEADER_ORDERED,
  /** The API server has answered the report that the leader is dead. */
  LEADER_DEAD,
  /** The order to restart all was seen. */
  ALL_ORDERED,
  /** The API server has answered the last report of a restarted node. */
  RESTARTED,

  /** Rebuild: the job was seen to be suspended. */
  SUSPENDED,
  /** No pod is left, and the operator says that the job is suspended. */
  DRAINED,
  /** The job was seen to be resumed. */
  RESUMED,
  /** The last pod of the new gang was seen to run. */
  RUNNING,

  /** The API server has answered the first report of a new step. */
  TRAINING,
  /** The Recovery was seen to have ended. */
  RECOVERED
}
