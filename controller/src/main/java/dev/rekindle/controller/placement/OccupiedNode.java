package dev.rekindle.controller.placement;

import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.NodeView;

/** A node and what is taken of it. */
record OccupiedNode(NodeView node, long gpus, Amounts held) {
  /** How many pods fit beside so many of another size. */
  long places(PodSize size, int others, PodSize other) {
    if (!NodeFit.keptOff(node, size.replica()).isEmpty()) {
      return 0;
    }
    long addresses = size.rails().places(node);
    long places =
        NodeFit.places(
            node,
            size.replica(),
            gpus + others * other.gpus(),
            others == 0 ? held : held.plus(other.needs().requests().times(others)));
    places = Math.min(places, addresses);
    return size.needs().onePerNode() ? Math.min(places, others > 0 ? 0 : 1) : places;
  }
}
