package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.QueueView;
import dev.rekindle.simulator.api.ApiObject;
import dev.rekindle.simulator.api.Meta;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The ClusterQueue of Kueue.
 *
 * @param meta metadata
 * @param quota pods that may run at one time
 * @param held {@code spec.stopPolicy: Hold}
 * @param heldFor Rekindle annotation, empty when absent
 * @param heldAt Rekindle annotation, absent until it was held once
 */
public record QueueObject(
    Meta meta, int quota, boolean held, String heldFor, @Nullable Instant heldAt)
    implements ApiObject<QueueObject> {
  /** Its name. */
  public static final String NAME = "cq";

  @Override
  public QueueObject with(Meta newMeta) {
    return new QueueObject(newMeta, quota, held, heldFor, heldAt);
  }

  /** The same, held from now on. */
  public QueueObject heldFor(String holder, Instant at) {
    return new QueueObject(meta, quota, true, holder, at);
  }

  /** The same, stopped by an administrator, held or not before. */
  public QueueObject stopped() {
    return new QueueObject(meta, quota, true, "", heldAt);
  }

  /** The same with another quota. */
  public QueueObject withQuota(int pods) {
    return new QueueObject(meta, pods, held, heldFor, heldAt);
  }

  /** The same, open. */
  public QueueObject open() {
    return new QueueObject(meta, quota, false, "", heldAt);
  }

  /** What the controller keeps of it. */
  public QueueView view() {
    return new QueueView(meta.name(), held, heldFor, heldAt);
  }
}
