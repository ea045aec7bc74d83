package dev.rekindle.controller.placement.topology;

import dev.rekindle.controller.model.NodeView;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The network as a tree: each node in one leaf group, each leaf group in one group of the next
 * level, and so on. Distances are levels to climb: 0 within a leaf group.
 *
 * <p>A value holds within the group above it only, so that {@code rack-1} of two zones is two
 * racks. A node without a label of a level is alone at that level: nothing is known of its
 * neighbours, and far is the safe guess. Without any label the fabric is flat: all nodes are
 * equally near.
 */
public final class Fabric {
  private final List<String> levels;

  /** By node, the number of its group at each level, nearest first. */
  private final Map<String, int[]> paths;

  private Fabric(List<String> levels, Map<String, int[]> paths) {
    this.levels = levels;
    this.paths = paths;
  }

  /**
   * The fabric of these nodes.
   *
   * @param keys node labels that a policy names, nearest first; empty for the built-in ones
   */
  public static Fabric of(List<String> keys, Collection<NodeView> nodes) {
    return of(keys, nodes, List.of());
  }

  /**
   * The fabric of these nodes as a gang on some of them sees it: where others carry labels of a
   * network that none of those is in, domains of NVLink, say, these are no levels of its own.
   *
   * @param gang names of the nodes of the gang; where none of them is known all nodes count
   */
  public static Fabric of(List<String> keys, Collection<NodeView> nodes, Collection<String> gang) {
    Set<String> names = Set.copyOf(gang);
    List<NodeView> own = nodes.stream().filter(n -> names.contains(n.name())).toList();
    List<String> levels = LevelKeys.of(keys, own.isEmpty() ? nodes : own);
    int height = Math.max(1, levels.size());
    Numbers numbers = new Numbers();
    Map<String, int[]> paths = HashMap.newHashMap(nodes.size());
    for (NodeView node : nodes) {
      int[] path = new int[height];
      int above = 0;
      for (int level = levels.size() - 1; level >= 0; level--) {
        String value = node.labels().get(levels.get(level));
        above = value == null || value.isEmpty() ? numbers.alone() : numbers.of(above, value);
        path[level] = above;
      }
      paths.put(node.name(), path);
    }
    return new Fabric(levels, paths);
  }

  /** Numbers groups; 0 is the whole fabric. */
  private static final class Numbers {
    private final Map<String, Integer> values = new HashMap<>();
    private final Map<Long, Integer> groups = new HashMap<>();
    private int last;

    /** The group of that value within another group. */
    int of(int above, String value) {
      int number = values.computeIfAbsent(value, _ -> values.size());
      return groups.computeIfAbsent(((long) above << Integer.SIZE) | number, _ -> ++last);
    }

    /** A group of one node. */
    int alone() {
      return ++last;
    }
  }

  /** The label keys of its levels, nearest first; empty for a flat fabric. */
  public List<String> levels() {
    return levels;
  }

  /** Whether no label says where nodes hang. */
  public boolean flat() {
    return levels.isEmpty();
  }

  /** Levels at which nodes can be together; at least 1. */
  public int height() {
    return Math.max(1, levels.size());
  }

  /** Whether the node is known. */
  public boolean has(String node) {
    return paths.containsKey(node);
  }

  /**
   * The number of the node's group at each level, nearest first. Not to be written to.
   *
   * @throws IllegalArgumentException for a node that is not known
   */
  public int[] path(String node) {
    int[] path = paths.get(node);
    if (path == null) {
      throw new IllegalArgumentException("no such node: " + node);
    }
    return path;
  }

  /** Levels to climb from one node to the other: 0 within a leaf group, the height across all. */
  public int distance(String one, String other) {
    return distance(path(one), path(other));
  }

  /** The same between two paths. */
  public static int distance(int[] one, int[] other) {
    int level = 0;
    while (level < one.length && one[level] != other[level]) {
      level++;
    }
    return level;
  }
}
