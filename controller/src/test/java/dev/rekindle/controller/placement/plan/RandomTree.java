package dev.rekindle.controller.placement.plan;

import dev.rekindle.controller.model.NodeRoom;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.placement.topology.Fabric;
import dev.rekindle.detect.node.NodeSigns;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * A small fabric of three levels, with a gang on it that loses some nodes, and free nodes.
 *
 * @param fabric the tree
 * @param gang its seats in the order of ranks
 * @param free nodes with one place each
 */
record RandomTree(Fabric fabric, List<Seat> gang, List<Candidate> free) {
  static final List<String> KEYS = List.of("leaf", "spine", "core");

  /** One of so many vacated seats at most. */
  static RandomTree of(long seed, int mostVacated) {
    Random random = new Random(seed);
    int leaves = 2 + random.nextInt(7);
    int spines = 1 + random.nextInt(4);
    int cores = 1 + random.nextInt(2);
    List<NodeView> nodes = new ArrayList<>();
    for (int leaf = 0; leaf < leaves; leaf++) {
      int spine = random.nextInt(spines);
      int size = 1 + random.nextInt(6);
      for (int i = 0; i < size; i++) {
        nodes.add(
            node("n%02d".formatted(nodes.size()), "l" + leaf, "s" + spine, "c" + spine % cores));
      }
    }
    int vacated = 1 + random.nextInt(Math.min(mostVacated, Math.max(1, nodes.size() / 3)));
    List<NodeView> order = new ArrayList<>(nodes);
    // Gangs are placed leaf by leaf as a rule, and not always.
    if (random.nextInt(3) == 0) {
      Collections.shuffle(order, random);
    } else {
      Collections.rotate(order, random.nextInt(nodes.size()));
    }
    int size = Math.min(order.size() - vacated, vacated + random.nextInt(order.size()));
    List<Seat> gang = new ArrayList<>();
    List<Integer> ranks = new ArrayList<>();
    for (int rank = 0; rank < size; rank++) {
      ranks.add(rank);
    }
    Collections.shuffle(ranks, random);
    List<Integer> lost = ranks.subList(0, Math.min(vacated, size));
    for (int rank = 0; rank < size; rank++) {
      gang.add(new Seat("worker-" + rank, order.get(rank).name(), lost.contains(rank)));
    }
    List<Candidate> free = new ArrayList<>();
    for (NodeView node : order.subList(size, order.size())) {
      free.add(new Candidate(node.name(), 1, false, 0));
    }
    Collections.shuffle(free, random);
    while (free.size() > lost.size() && random.nextInt(3) > 0) {
      free.removeLast();
    }
    return new RandomTree(Fabric.of(KEYS, nodes), gang, free);
  }

  List<Seat> vacated() {
    return gang.stream().filter(Seat::vacated).toList();
  }

  /** A node of which only the labels matter. */
  static NodeView node(String name, String... values) {
    Map<String, String> labels = new TreeMap<>();
    for (int level = 0; level < values.length; level++) {
      labels.put(KEYS.get(level), values[level]);
    }
    return node(name, labels);
  }

  static NodeView node(String name, Map<String, String> labels) {
    return new NodeView(
        name,
        name,
        Readiness.READY,
        null,
        false,
        false,
        "",
        8,
        labels,
        NodeSigns.NONE,
        "",
        null,
        "",
        null,
        "",
        "",
        "",
        "",
        NodeRoom.UNKNOWN,
        null);
  }
}
