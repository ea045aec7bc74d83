package dev.rekindle.detect.knowledge;

import java.util.Arrays;
import java.util.Optional;

/** What sort of word an entry is about. */
public enum Kind {
  /** Code of a NodeFault that no kernel log has. */
  FAULT("faults"),
  /** {@code Recovery.status.cause.reason}. */
  CAUSE("causes"),
  /** Reason for which a Recovery is held. */
  HOLD("holds"),
  /** Reason of another condition. */
  CONDITION("conditions"),
  /** Reason of an event; those whose action is Refuse say why a job or node is left alone. */
  EVENT("events"),
  /** Name of an alert of the chart. */
  ALERT("alerts");

  private final String section;

  Kind(String section) {
    this.section = section;
  }

  /** Its section in the data, and how {@code explain} lists it. */
  public String section() {
    return section;
  }

  /** The kind of one word. */
  public String word() {
    return section.substring(0, section.length() - 1);
  }

  /** The kind of that section; empty for any other word. */
  public static Optional<Kind> of(String section) {
    return Arrays.stream(values()).filter(k -> k.section.equals(section)).findFirst();
  }
}
