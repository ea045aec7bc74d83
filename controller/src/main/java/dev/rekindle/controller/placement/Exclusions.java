package dev.rekindle.controller.placement;

import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.NodeView;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which of the nodes that a recovery blames are still to be kept off. A cause is history; what
 * follows from it is judged by what is known now, for a recovery may wait longer than a repair
 * takes.
 */
public final class Exclusions {
  /** Each is a value in the affinity of every pod. */
  private static final int MAX_OTHERS = 64;

  /** Two kilobytes in each pod where names are as long as clouds make them, 16 at most. */
  static final int MAX_NAMED = 64;

  private Exclusions() {}

  /**
   * The blamed nodes that a new gang must avoid: a faulty one while a fault of it fences, a silent
   * one until it is Ready again, for then its kubelet has ended what ran there.
   *
   * @param nodes all nodes by name
   * @param faults at least those of the blamed nodes
   */
  public static List<String> of(
      Cause cause, Map<String, NodeView> nodes, Collection<FaultView> faults) {
    TreeSet<String> excluded = new TreeSet<>();
    cause.faultyNodes().stream().filter(n -> faulty(n, faults)).forEach(excluded::add);
    cause.silentNodes().stream().filter(n -> !ready(nodes.get(n))).forEach(excluded::add);
    return List.copyOf(excluded);
  }

  /**
   * Nodes with a fault that fences and that the scheduler would still take: the breaker is open,
   * say, or the fence has yet to be stored. A gang that is placed there would soon be moved.
   *
   * @param nodes all nodes by name
   * @param faults those of all nodes
   */
  public static List<String> faultyAndOpen(
      Map<String, NodeView> nodes, Collection<FaultView> faults) {
    return faults.stream()
        .filter(FaultView::fences)
        .map(FaultView::node)
        .distinct()
        .filter(n -> takesPods(nodes.get(n)))
        .sorted()
        .limit(MAX_OTHERS)
        .toList();
  }

  /**
   * Nodes at which somebody else is at work and that the scheduler would still take: neither
   * cordoned nor tainted yet. A gang that is placed there would soon be moved.
   */
  public static List<String> underOthersHands(Collection<NodeView> nodes) {
    return nodes.stream()
        .filter(n -> n.owner() != null && !n.unschedulable() && !n.keptOffByOthers())
        .map(NodeView::name)
        .sorted()
        .limit(MAX_OTHERS)
        .toList();
  }

  /**
   * The excluded nodes that are named in the affinity of every pod. Named are all of a few: a pod
   * may tolerate any taint. Of many, those that the scheduler would take first; the others are
   * cordoned, or tainted by the node life cycle for as long as their kubelet is silent. What lands
   * on an excluded node in spite of that fails its attempt.
   */
  public static List<String> named(Collection<String> excluded, Map<String, NodeView> nodes) {
    return excluded.stream()
        .sorted(
            Comparator.comparing((String n) -> !takesPods(nodes.get(n)))
                .thenComparing(Comparator.naturalOrder()))
        .limit(MAX_NAMED)
        .sorted()
        .toList();
  }

  /** Whether the node is Ready, and nothing keeps pods off it. */
  public static boolean takesPods(@Nullable NodeView node) {
    return ready(node) && node != null && !node.unschedulable() && !node.keptOffByOthers();
  }

  /** Whether the node has a fault that fences. */
  public static boolean faulty(String node, Collection<FaultView> faults) {
    return faults.stream().anyMatch(f -> f.fences() && f.node().equals(node));
  }

  private static boolean ready(@Nullable NodeView node) {
    return node != null && node.readiness() == NodeView.Readiness.READY;
  }
}
