package dev.rekindle.simulator.world;

import dev.rekindle.simulator.api.ApiObject;
import dev.rekindle.simulator.api.Meta;

/**
 * A PodGroup, as the training operator makes one for each job.
 *
 * @param meta metadata; owned by its job, whose name it has
 * @param least {@code spec.minMember}: so many pods are placed together, or none
 * @param mark Rekindle annotation, empty when absent
 */
public record PodGroupObject(Meta meta, int least, String mark)
    implements ApiObject<PodGroupObject> {
  @Override
  public PodGroupObject with(Meta newMeta) {
    return new PodGroupObject(newMeta, least, mark);
  }

  /** The same with another annotation. */
  public PodGroupObject marked(String newMark) {
    return new PodGroupObject(meta, least, newMark);
  }
}
