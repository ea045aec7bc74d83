package dev.rekindle.simulator.world;

import java.util.ArrayList;
import java.util.List;

/**
 * Volumes that some nodes reach, as those of a local disk or of HwameiStor: the pod of rank 0
 * mounts it. It is made where that pod is first bound (WaitForFirstConsumer), and a second copy of
 * it on another node.
 */
final class Volumes {
  private final World world;

  Volumes(World world) {
    this.world = world;
  }

  /** Whether the volume of the pod, if it has one, can be mounted there. */
  boolean reaches(PodObject pod, String node) {
    if (pod.rank() > 0 || pod.setup().volumeNodes() == 0) {
      return true;
    }
    List<String> homes = world.gang(pod.meta().owner()).training().homes();
    return homes.isEmpty() || homes.contains(node);
  }

  /** The pod is on that node from now on. */
  void bound(PodObject pod, String node) {
    int wanted = pod.setup().volumeNodes();
    if (pod.rank() > 0 || wanted == 0) {
      return;
    }
    TrainingProgress training = world.gang(pod.meta().owner()).training();
    if (!training.homes().isEmpty()) {
      return;
    }
    List<String> homes = new ArrayList<>(List.of(node));
    for (NodeObject other : world.nodes().list()) {
      if (homes.size() < wanted
          && !homes.contains(other.meta().name())
          && NodeChoice.lets(pod.setup().needs(), other.setup())) {
        homes.add(other.meta().name());
      }
    }
    training.storage().keepOn(homes);
  }
}
