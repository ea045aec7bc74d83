package dev.rekindle.controller.spares;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.SpareView;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the warm spares of a job depend on, at one moment.
 *
 * @param job the job under its policy; absent when it is gone
 * @param pods pods of exactly this job
 * @param spares spares that name it as their owner, of any job UID
 * @param inNamespace UIDs of the spares of all jobs of its namespace, the oldest first, without
 *     those that have been deleted and whose nodes do not answer
 * @param recovery phase of its open recovery; absent where there is none
 * @param nodes at least the nodes of its spares, by name
 * @param faults faults of those nodes
 */
@RecordBuilder
public record SpareSnapshot(
    @Nullable JobView job,
    List<PodView> pods,
    List<SpareView> spares,
    List<String> inNamespace,
    @Nullable RecoveryPhase recovery,
    Map<String, NodeView> nodes,
    List<FaultView> faults)
    implements SpareSnapshotBuilder.With {
  public SpareSnapshot {
    pods = List.copyOf(pods);
    spares = List.copyOf(spares);
    inNamespace = List.copyOf(inNamespace);
    nodes = Map.copyOf(nodes);
    faults = List.copyOf(faults);
  }
}
