package dev.rekindle.controller.kubernetes;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.checkpoint.NodeScans;
import dev.rekindle.controller.checkpoint.ScanRounds;
import dev.rekindle.controller.kubernetes.convert.CheckpointMount;
import dev.rekindle.controller.kubernetes.convert.InspectedNodes;
import dev.rekindle.controller.model.Annotations;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.port.ClusterState;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Volume;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.kubeflow.v1.PyTorchJob;

/**
 * Inspectors of a job whose checkpoints are on a path of each host: which nodes are looked at, and
 * what their reports say together.
 */
final class NodeInspectors {
  private final ClusterState state;
  private final Map<String, ScanRounds> rounds = new ConcurrentHashMap<>();

  NodeInspectors(ClusterState state) {
    this.state = state;
  }

  /** Which nodes are looked at, or why none is. */
  sealed interface Chosen {
    /** These. */
    record Some(InspectedNodes nodes) implements Chosen {}

    /** None. */
    record None(String reason) implements Chosen {}
  }

  /**
   * The nodes on which the job may have written: those of its pods, and what is written down of
   * them.
   *
   * @param job the job
   * @param typed the same as it is
   * @param at where its checkpoints lie in the template that was looked at
   * @param recovery for which recovery
   * @param unfit nodes that the recovery keeps off
   */
  Chosen choose(
      JobView job,
      PyTorchJob typed,
      CheckpointMount.Found at,
      String recovery,
      Collection<String> unfit) {
    Set<String> roles = roles(typed, at, job.checkpointDir());
    Set<String> nodes =
        state.pods(job.key()).stream()
            .filter(p -> p.jobUid().equals(job.uid()) && roles.contains(p.role()))
            .map(PodView::node)
            .filter(n -> !n.isEmpty())
            .collect(Collectors.toCollection(TreeSet::new));
    // A rank that has failed may have no pod any more. What is written down names no roles.
    if (nodes.isEmpty() || roles.size() == typed.getSpec().getPytorchReplicaSpecs().size()) {
      nodes.addAll(writtenDown(job.key(), recovery));
    }
    String where = job.checkpointDir() + " is a path of the host, ";
    if (nodes.isEmpty()) {
      return new Chosen.None(where + "and it is not known on which nodes the job was" + advice());
    }
    Map<Boolean, List<String>> usable =
        nodes.stream().collect(Collectors.partitioningBy(n -> isUsable(n, unfit)));
    List<String> present = Objects.requireNonNull(usable.get(true));
    if (present.isEmpty()) {
      return new Chosen.None(
          where + "and no node of the job can be looked at: " + named(nodes) + advice());
    }
    if (present.size() > InspectedNodes.MOST) {
      return new Chosen.None(
          "%sand the job was on %d nodes; at most %d are looked at%s"
              .formatted(where, present.size(), InspectedNodes.MOST, advice()));
    }
    List<String> hostnames =
        present.stream()
            .map(n -> state.node(n).map(NodeView::hostname).orElse(n))
            .distinct()
            .toList();
    rounds.remove(id(job.key(), recovery));
    return new Chosen.Some(
        new InspectedNodes(present, hostnames, Objects.requireNonNull(usable.get(false))));
  }

  private static String advice() {
    return "; with %s: \"true\" any node counts".formatted(Annotations.CHECKPOINT_SHARED);
  }

  private static String named(Collection<String> nodes) {
    return nodes.stream().limit(4).collect(Collectors.joining(", "))
        + (nodes.size() > 4 ? " and " + (nodes.size() - 4) + " more" : "");
  }

  private List<String> writtenDown(JobKey key, String recovery) {
    return state
        .recovery(key.namespace(), recovery)
        .map(RecoveryView::status)
        .map(NodeInspectors::nodesOf)
        .orElse(List.of());
  }

  private static List<String> nodesOf(RecoveryStatus status) {
    var plan = status.plan();
    var cause = status.cause();
    return Stream.of(
            plan == null ? List.<String>of() : plan.keptNodes(),
            cause == null ? List.<String>of() : cause.faultyNodes(),
            cause == null ? List.<String>of() : cause.silentNodes())
        .flatMap(List::stream)
        .distinct()
        .sorted()
        .toList();
  }

  private boolean isUsable(String name, Collection<String> unfit) {
    return state
        .node(name)
        .filter(n -> n.readiness() == Readiness.READY && !n.unschedulable() && !n.fencedByUs())
        .filter(_ -> !unfit.contains(name))
        .isPresent();
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
   * @param nodes which nodes are looked at
   * @param pods the inspector's pods
   * @param reader reads one pod's log
   */
  Inspection read(
      JobKey key,
      String recovery,
      InspectedNodes nodes,
      List<Pod> pods,
      Function<Pod, Optional<Inspection>> reader) {
    Map<String, Inspection.Report> reports = new HashMap<>();
    for (String node : nodes.nodes()) {
      Optional<Pod> pod =
          pods.stream().filter(p -> node.equals(p.getSpec().getNodeName())).findFirst();
      switch (pod.flatMap(reader).orElse(null)) {
        case Inspection.Report report -> reports.put(node, report);
        case null, default -> {
          return new Inspection.Pending(
              "node %s: %s"
                  .formatted(
                      node,
                      pod.map(InspectorCalls::waitsFor).orElse("no pod of the inspector yet")));
        }
      }
    }
    if (reports.isEmpty()) {
      return new Inspection.Absent();
    }
    Map<String, Long> scans = new HashMap<>();
    reports.forEach((node, report) -> scans.put(node, report.scan()));
    ScanRounds round =
        Objects.requireNonNull(
            rounds.compute(id(key, recovery), (_, former) -> ScanRounds.next(former, scans)));
    long gpus = state.job(key).map(JobView::gpus).orElse(0L);
    return NodeScans.merge(round.number(), reports, nodes.away(), gpus);
  }

  void forget(JobKey key, String recovery) {
    rounds.remove(id(key, recovery));
  }

  private static String id(JobKey key, String recovery) {
    return key.namespace() + "/" + recovery;
  }
}
