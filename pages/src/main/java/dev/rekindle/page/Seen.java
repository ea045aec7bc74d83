package dev.rekindle.page;

import dev.rekindle.api.RecoveryStatus.Evidence;

/**
 * A piece of evidence as it is shown.
 *
 * @param where node or pod; may be empty
 * @param node the node of it, to link to; may be empty
 * @param text the line itself, which a tenant may have written
 */
record Seen(String where, String node, String text) {
  Seen {
    where = VisibleText.of(where);
    text = VisibleText.of(text);
  }

  static Seen of(Evidence evidence) {
    boolean both = !evidence.node().isEmpty() && !evidence.pod().isEmpty();
    String where = evidence.node() + (both ? ", " : "") + evidence.pod();
    return new Seen(where, evidence.node(), evidence.text());
  }
}
