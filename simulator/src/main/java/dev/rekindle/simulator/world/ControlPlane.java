package dev.rekindle.simulator.world;

import java.time.Instant;

/** When agents cannot reach the API server, and when operator and scheduler do nothing. */
public final class ControlPlane {
  private final World world;
  private Instant apiBack = Instant.MIN;
  private Instant operatorBack = Instant.MIN;
  private Instant schedulerBack = Instant.MIN;

  ControlPlane(World world) {
    this.world = world;
  }

  /** Agents cannot reach the API server until then. */
  public void apiAwayUntil(Instant until) {
    apiBack = until;
    world.nodeAgents().apiBack(until);
  }

  /** The operator does nothing until then. */
  public void operatorAwayUntil(Instant until) {
    operatorBack = until;
  }

  /** The scheduler does nothing until then. */
  public void schedulerAwayUntil(Instant until) {
    schedulerBack = until;
  }

  boolean apiAway() {
    return apiBack.isAfter(world.now());
  }

  boolean operatorAway() {
    return operatorBack.isAfter(world.now());
  }

  Instant operatorBack() {
    return operatorBack;
  }

  boolean schedulerAway() {
    return schedulerBack.isAfter(world.now());
  }

  Instant schedulerBack() {
    return schedulerBack;
  }
}
