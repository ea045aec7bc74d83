package dev.rekindle.simulator.world;

import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.simulator.api.ApiObject;
import dev.rekindle.simulator.api.Meta;
import org.jspecify.annotations.Nullable;

/**
 * A Recovery.
 *
 * @param meta metadata; owned by its job
 * @param spec what opened it
 * @param status its progress
 */
public record RecoveryObject(Meta meta, RecoverySpec spec, @Nullable RecoveryStatus status)
    implements ApiObject<RecoveryObject> {
  @Override
  public RecoveryObject with(Meta newMeta) {
    return new RecoveryObject(newMeta, spec, status);
  }

  /** The same with another status. */
  public RecoveryObject with(@Nullable RecoveryStatus newStatus) {
    return new RecoveryObject(meta, spec, newStatus);
  }

  /** The same, approved. */
  public RecoveryObject approved() {
    return approved(true);
  }

  /** The same, approved or not. */
  public RecoveryObject approved(boolean value) {
    return new RecoveryObject(
        meta, new RecoverySpec(spec.jobRef(), spec.detectedAt(), value), status);
  }

  /** Whether it is not over yet, as {@link RecoveryView#open} says. */
  public boolean open() {
    return status == null || status.phase() == null || !status.phase().isTerminal();
  }

  /** What the controller keeps of it. */
  public RecoveryView view() {
    return new RecoveryView(
        meta.namespace(), meta.name(), meta.uid(), Long.toString(meta.version()), spec, status);
  }
}
