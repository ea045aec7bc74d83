package dev.rekindle.simulator.world;

import java.time.Instant;

/**
 * Something that happened, for people to read.
 *
 * @param at when, on virtual time
 * @param kind what sort of thing
 * @param subject node, pod, job or instance it is about
 * @param text one sentence
 */
public record SimEvent(Instant at, Kind kind, String subject, String text) {
  /** Kinds of events. */
  public enum Kind {
    /** Injected from outside. */
    FAULT,
    /** A node changed. */
    NODE,
    /** An agent reported on an order. */
    AGENT,
    /** A pod changed. */
    POD,
    /** The job was written. */
    JOB,
    /** Training began, stood or ended. */
    TRAINING,
    /** An instance of the controller started, led or died. */
    CONTROLLER,
    /** A Recovery object was written. */
    RECOVERY,
    /** The controller announced an Event. */
    EVENT
  }
}
