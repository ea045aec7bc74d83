package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.NodeRoom.NodeTaint;
import dev.rekindle.controller.model.PodNeeds;
import dev.rekindle.controller.model.PodNeeds.Toleration;
import dev.rekindle.simulator.setup.NodeSetup;

/**
 * Whether a template lets its pods onto a node, as kube-scheduler has it: node selector and taints.
 * Written a second time, so that the controller is not judged by its own words.
 */
public final class NodeChoice {
  private NodeChoice() {}

  /** Whether the node carries what the template selects, and no taint that it does not bear. */
  public static boolean lets(PodNeeds needs, NodeSetup node) {
    for (var wanted : needs.nodeSelector().entrySet()) {
      if (!wanted.getValue().equals(node.labels().get(wanted.getKey()))) {
        return false;
      }
    }
    for (NodeTaint taint : node.taints()) {
      if (needs.tolerations().stream().noneMatch(t -> bears(t, taint))) {
        return false;
      }
    }
    return true;
  }

  private static boolean bears(Toleration toleration, NodeTaint taint) {
    if (!toleration.effect().isEmpty() && !toleration.effect().equals(taint.effect())) {
      return false;
    }
    if (toleration.key().isEmpty()) {
      return toleration.exists();
    }
    return toleration.key().equals(taint.key())
        && (toleration.exists() || toleration.value().equals(taint.value()));
  }
}
