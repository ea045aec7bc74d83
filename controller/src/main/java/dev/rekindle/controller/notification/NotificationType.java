package dev.rekindle.controller.notification;

import dev.rekindle.api.RecoveryPhase;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** What receivers are notified of: each phase that a recovery enters, and fences of nodes. */
public enum NotificationType {
  /** A recovery was opened. */
  OPENED("opened", "recovery.opened", 'a'),
  /** Its nodes are being fenced. */
  FENCING("fencing", "recovery.fencing", 'b'),
  /** Its gang is being stopped. */
  DRAINING("draining", "recovery.draining", 'c'),
  /** Its restart is being planned. */
  PLANNING("planning", "recovery.planning", 'd'),
  /** Its gang starts again. */
  RESUMING("resuming", "recovery.resuming", 'e'),
  /** Its gang runs, and has yet to make a new step. */
  VERIFYING("verifying", "recovery.verifying", 'f'),
  /** Its job trains again. */
  RECOVERED("recovered", "recovery.recovered", 'g'),
  /** It is held, and waits for what its reason names. */
  HELD("held", "recovery.held", 'h'),
  /** It has failed. */
  FAILED("failed", "recovery.failed", 'i'),
  /** There was nothing left to recover. */
  CANCELLED("cancelled", "recovery.cancelled", 'j'),
  /** A node was fenced. */
  NODE_FENCED("nodeFenced", "node.fenced", 'k'),
  /** The fence of a node was lifted, or the node is gone. */
  NODE_RELEASED("nodeReleased", "node.released", 'l');

  /** What a webhook gets that requests nothing: all but the phases on the way. */
  public static final Set<NotificationType> USUAL =
      Set.copyOf(
          EnumSet.of(OPENED, HELD, RECOVERED, FAILED, CANCELLED, NODE_FENCED, NODE_RELEASED));

  private static final String PREFIX = "dev.rekindle.";
  private static final String VERSION = ".v1";

  private final String word;
  private final String name;
  private final char letter;

  NotificationType(String word, String name, char letter) {
    this.word = word;
    this.name = name;
    this.letter = letter;
  }

  /** The word in the chart's values. */
  public String word() {
    return word;
  }

  /** The CloudEvents type, such as {@code dev.rekindle.recovery.held.v1}. */
  public String cloudEventType() {
    return PREFIX + name + VERSION;
  }

  /** Begins the mark of a notification; never to be changed, as marks are stored. */
  char letter() {
    return letter;
  }

  /** Whether it is about a node. */
  public boolean ofNode() {
    return this == NODE_FENCED || this == NODE_RELEASED;
  }

  /** The one of that word. */
  static Optional<NotificationType> ofWord(String word) {
    return Arrays.stream(values()).filter(t -> t.word.equals(word)).findFirst();
  }

  /** The one of a phase that was entered. */
  static NotificationType of(RecoveryPhase phase) {
    return switch (phase) {
      case DETECTED -> OPENED;
      case FENCING -> FENCING;
      case DRAINING -> DRAINING;
      case PLANNING -> PLANNING;
      case RESUMING -> RESUMING;
      case VERIFYING -> VERIFYING;
      case RECOVERED -> RECOVERED;
      case HELD -> HELD;
      case FAILED -> FAILED;
      case CANCELLED -> CANCELLED;
    };
  }
}
