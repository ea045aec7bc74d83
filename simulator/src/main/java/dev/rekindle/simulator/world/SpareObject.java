package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.PodView.Phase;
import dev.rekindle.controller.model.SpareView;
import dev.rekindle.simulator.api.ApiObject;
import dev.rekindle.simulator.api.Kind;
import dev.rekindle.simulator.api.Meta;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;

/**
 * The pod of a warm spare.
 *
 * @param meta metadata; owned by its job
 * @param job its job
 * @param slot its number among the spares of the job
 * @param template of which template it was made
 * @param gpus GPUs that it holds
 * @param hostnames nodes that it may go to
 * @param node where it is bound, empty before
 * @param running whether its images are there
 */
@RecordBuilder
public record SpareObject(
    Meta meta,
    JobKey job,
    int slot,
    String template,
    int gpus,
    List<String> hostnames,
    String node,
    boolean running)
    implements ApiObject<SpareObject>, SpareObjectBuilder.With {
  private static final long GRACE_SECONDS = 30;

  /** Spares; the API server removes one that has no node at once. */
  static final Kind<SpareObject> KIND =
      new Kind<>("warm spares", Map.of(), spare -> spare.node().isEmpty() ? 0 : GRACE_SECONDS);

  public SpareObject {
    hostnames = List.copyOf(hostnames);
  }

  @Override
  public SpareObject with(Meta newMeta) {
    return withMeta(newMeta);
  }

  /** What the controller keeps of it. */
  public SpareView view() {
    return new SpareView(
        job,
        meta.name(),
        slot,
        meta.uid(),
        meta.owner(),
        template,
        node,
        running ? Phase.RUNNING : Phase.PENDING,
        meta.terminating(),
        gpus,
        Amounts.NONE,
        meta.created().truncatedTo(ChronoUnit.SECONDS));
  }
}
