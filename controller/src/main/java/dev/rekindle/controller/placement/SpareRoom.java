package dev.rekindle.controller.placement;

import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.SpareView;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What warm spares mean for a plan: the room of a job's own ones is free for it, and that of others
 * is taken only where there is other room, as the scheduler removes a spare for any pod that has
 * nowhere else to go.
 *
 * @param warm nodes on which a spare of the job is warm
 * @param gpus GPUs by node that spares of other jobs hold
 * @param held all that they hold
 */
public record SpareRoom(Set<String> warm, Map<String, Long> gpus, Map<String, Amounts> held) {
  /** Without spares. */
  public static final SpareRoom NONE = new SpareRoom(Set.of(), Map.of(), Map.of());

  public SpareRoom {
    warm = Set.copyOf(warm);
    gpus = Map.copyOf(gpus);
    held = Map.copyOf(held);
  }

  /** That of these spares for the job of that UID. */
  public static SpareRoom of(Collection<SpareView> spares, String jobUid) {
    Map<String, Long> gpus = new HashMap<>();
    Map<String, Amounts> held = new HashMap<>();
    for (SpareView spare : spares) {
      if (spare.holdsRoom() && !spare.jobUid().equals(jobUid)) {
        gpus.merge(spare.node(), spare.gpus(), Long::sum);
        held.merge(spare.node(), spare.requests(), Amounts::plus);
      }
    }
    return new SpareRoom(
        spares.stream()
            .filter(s -> s.warm() && s.jobUid().equals(jobUid))
            .map(SpareView::node)
            .collect(Collectors.toSet()),
        gpus,
        held);
  }

  /** Whether others hold any room by spares. */
  boolean othersHold() {
    return !gpus.isEmpty() || !held.isEmpty();
  }

  /** The same where the room of others counts as free. */
  SpareRoom withoutOthers() {
    return new SpareRoom(warm, Map.of(), Map.of());
  }
}
