package dev.rekindle.page;

import dev.rekindle.api.RecoveryStatus;
import java.util.Objects;
import java.util.Optional;

/** What the controller has noted of a person's approval. */
final class Approvals {
  private static final String TYPE = "Approved";

  private Approvals() {}

  /** One sentence; empty where no person has approved, or none was asked. */
  static Optional<String> text(RecoveryStatus status) {
    return status.conditions().stream()
        .filter(c -> TYPE.equals(c.getType()))
        .findFirst()
        .map(
            c ->
                ("True".equals(c.getStatus()) ? "approved, " : "the approval has expired, ")
                    + Objects.requireNonNullElse(c.getMessage(), ""));
  }
}
