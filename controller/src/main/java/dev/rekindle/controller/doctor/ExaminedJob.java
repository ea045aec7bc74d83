package dev.rekindle.controller.doctor;

import dev.rekindle.api.RankReportStatus.Witnesses;
import dev.rekindle.controller.diagnosis.JobSnapshot;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.SpareView;
import dev.rekindle.controller.network.Installation;
import dev.rekindle.detect.WatchedNamespaces;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A job as its API objects show it.
 *
 * @param job the job under its policy, its pods and what is reported of them
 * @param policy what holds for it; empty where policies could not be read
 * @param note why that policy holds, else empty
 * @param nodesRead whether nodes and faults could be read; if not, the snapshot has none
 * @param hidden why its checkpoints cannot be judged; empty where they can
 * @param variables literal environment of the container that trains, by the UID of the pod; a value
 *     that is read from elsewhere is empty
 * @param witnesses what agents found of the ranks that run in a pod, by its UID, as far as they
 *     have reported
 * @param watched whose jobs the installation watches, as far as it could be read
 * @param spiderpool what gives its pods their NICs, as far as it could be read
 * @param spares its warm spares
 */
public record ExaminedJob(
    JobSnapshot job,
    Optional<Policy> policy,
    String note,
    boolean nodesRead,
    String hidden,
    Map<String, Map<String, String>> variables,
    Map<String, Witnesses> witnesses,
    WatchedNamespaces watched,
    Installation spiderpool,
    List<SpareView> spares) {
  public ExaminedJob {
    variables = Map.copyOf(variables);
    witnesses = Map.copyOf(witnesses);
    spares = List.copyOf(spares);
  }
}
