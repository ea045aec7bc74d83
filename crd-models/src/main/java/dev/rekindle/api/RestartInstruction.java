package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * What agents are to do with the gang of a job. The order of the constants is the order of time.
 */
public enum RestartInstruction {
  /**
   * Record what the ranks are doing, and leave them as they are. A gang that is to be rebuilt is
   * never frozen.
   */
  @JsonProperty("Look")
  LOOK,
  /**
   * Freeze every process of the gang's training containers. From the confirmation of the last agent
   * on nothing of the old generation computes or writes.
   */
  @JsonProperty("Freeze")
  FREEZE,
  /** Kill the frozen container that serves the rendezvous, rank 0; the others stay frozen. */
  @JsonProperty("RestartLeader")
  RESTART_LEADER,
  /** Kill all other frozen containers; the kubelets start them again in place. */
  @JsonProperty("RestartAll")
  RESTART_ALL
}
