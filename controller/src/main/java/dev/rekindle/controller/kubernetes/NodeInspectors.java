package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.checkpoint.NodeReports;
import dev.rekindle.controller.checkpoint.NodesToInspect;
import dev.rekindle.controller.kubernetes.convert.CheckpointMount;
import dev.rekindle.controller.kubernetes.convert.InspectedNodes;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.placement.PossibleNodes;
import dev.rekindle.controller.port.ClusterState;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Volume;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.kubeflow.v1.PyTorchJob;

/**
 * Inspectors of a job whose checkpoints are on a path of each host: which nodes are inspected, and
 * what their reports say together.
 */
final class NodeInspectors {
  private final ClusterState state;
  private final NodeReports reports = new NodeReports();

  NodeInspectors(ClusterState state) {
    this.state = state;
  }

  /**
   * The nodes on which the job may have written: those of its pods, and what is written down of
   * them.
   *
   * @param job the job
   * @param typed the same as it is
   * @param at where its checkpoints are in the template that was read
   * @param recovery for which recovery
   * @param unfit nodes that the recovery avoids
   */
  NodesToInspect choose(
      JobView job,
      PyTorchJob typed,
      CheckpointMount.Found at,
      String recovery,
      Collection<String> unfit) {
    Set<String> roles = roles(typed, at, job.checkpointDir());
    NavigableSet<String> ofPods =
        state.pods(job.key()).stream()
            .filter(p -> p.jobUid().equals(job.uid()) && roles.contains(p.role()))
            .map(PodView::node)
            .filter(n -> !n.isEmpty())
            .collect(Collectors.toCollection(TreeSet::new));
    // A rank that has failed may have no pod any more. What is written down names no roles.
    boolean all = roles.size() == typed.getSpec().getPytorchReplicaSpecs().size();
    NavigableSet<String> nodes =
        state
            .recovery(job.key().namespace(), recovery)
            .filter(_ -> ofPods.isEmpty() || all)
            .map(r -> NodesToInspect.ofGang(ofPods, r, state.recoveries(job.key())))
            .orElse(ofPods);
    NodesToInspect chosen =
        NodesToInspect.of(
            job.checkpointDir(),
            nodes,
            name -> state.node(name),
            unfit,
            PossibleNodes.of(job, state.nodes()));
    if (chosen instanceof NodesToInspect.Some) {
      reports.forget(id(job.key(), recovery));
    }
    return chosen;
  }

  /** Replica types that write into the same path: a Master alone may have the volume. */
  static Set<String> roles(PyTorchJob job, CheckpointMount.Found at, String directory) {
    var specs = job.getSpec().getPytorchReplicaSpecs();
    var roles = new HashSet<String>();
    for (String type : specs.keySet()) {
      if (CheckpointMount.ofType(job, type, directory) instanceof CheckpointMount.Found other
          && source(other.volume()).equals(source(at.volume()))
          && Objects.equals(other.mount().getSubPath(), at.mount().getSubPath())
          && other.mount().getMountPath().equals(at.mount().getMountPath())) {
        roles.add(type.toLowerCase(Locale.ROOT));
      }
    }
    return roles;
  }

  private static List<Object> source(Volume volume) {
    return Stream.<Object>of(
            Optional.ofNullable(volume.getHostPath()).map(h -> h.getPath()),
            Optional.ofNullable(volume.getPersistentVolumeClaim()).map(c -> c.getClaimName()))
        .toList();
  }

  /**
   * What they say together; pending until each has reported.
   *
   * @param nodes which nodes are inspected
   * @param pods the inspector's pods
   * @param reader reads one pod's log
   */
  Inspection read(
      JobKey key,
      String recovery,
      InspectedNodes nodes,
      List<Pod> pods,
      Function<Pod, Optional<Inspection>> reader) {
    return reports.read(
        id(key, recovery),
        nodes.nodes(),
        nodes.away(),
        state.job(key).map(JobView::gpus).orElse(0L),
        node -> ofNode(node, pods, reader));
  }

  private static Inspection ofNode(
      String node, List<Pod> pods, Function<Pod, Optional<Inspection>> reader) {
    Optional<Pod> pod = InspectorPods.currentOn(node, pods);
    return pod.flatMap(reader)
        .orElseGet(
            () ->
                new Inspection.Pending(
                    pod.map(InspectorProgress::waitsFor).orElse("no pod of the inspector yet")));
  }

  void forget(JobKey key, String recovery) {
    reports.forget(id(key, recovery));
  }

  private static String id(JobKey key, String recovery) {
    return key.namespace() + "/" + recovery;
  }
}
