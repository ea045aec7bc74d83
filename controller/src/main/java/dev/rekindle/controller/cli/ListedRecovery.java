package dev.rekindle.controller.cli;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A Recovery, without what its client adds.
 *
 * @param created when the object was made; absent where the API server has not said it
 * @param status absent while the controller has not written it
 */
public record ListedRecovery(
    String namespace,
    String name,
    @Nullable Instant created,
    RecoverySpec spec,
    @Nullable RecoveryStatus status) {
  /** Where it stands; empty while it has no status. */
  public Optional<RecoveryPhase> phase() {
    return Optional.ofNullable(status).map(RecoveryStatus::phase);
  }

  /** Whether it is not over: what has no status yet is not. */
  public boolean open() {
    return phase().filter(RecoveryPhase::isTerminal).isEmpty();
  }
}
