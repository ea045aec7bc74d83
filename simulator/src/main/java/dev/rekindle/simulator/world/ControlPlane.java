package dev.rekindle.simulator.world;

import java.time.Instant;

/**
 * When agents cannot reach the API server, when operator and scheduler do nothing, and when no
 * image can be pulled.
 */
public final class ControlPlane {
  private final World world;
  private Instant apiBack = Instant.MIN;
  private Instant operatorBack = Instant.MIN;
  private Instant schedulerBack = Instant.MIN;
  private Instant imagesBack = Instant.MIN;

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

  /** Pods that are started until then cannot pull their images. */
  public void imagesAwayUntil(Instant until) {
    imagesBack = until;
  }

  boolean imagesAway() {
    return imagesBack.isAfter(world.now());
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
