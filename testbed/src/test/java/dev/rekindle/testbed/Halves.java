package dev.rekindle.testbed;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Who has which half of the nodes. A testbed that was started with four nodes has the first one
 * only.
 */
final class Halves {
  private final KubernetesClient client;
  private final BlockingQueue<Half> free = new LinkedBlockingQueue<>();

  /** Labels the nodes, and cordons the second half. */
  Halves(KubernetesClient client) {
    this.client = client;
    for (Half half : Half.values()) {
      if (half.nodes().stream().allMatch(n -> client.nodes().withName(n).get() != null)) {
        half.nodes().forEach(n -> edit(n, half, half == Half.FIRST));
        free.add(half);
      }
    }
  }

  /** So many halves for one test, once they are free. */
  List<Half> take(int count) {
    try {
      List<Half> taken = new ArrayList<>();
      while (taken.size() < count) {
        taken.add(free.take());
      }
      for (Half half : taken) {
        half.nodes().forEach(n -> edit(n, half, true));
      }
      return taken;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** The half is as it was found. */
  void give(Half half) {
    if (half == Half.SECOND) {
      half.nodes().forEach(n -> edit(n, half, false));
    }
    free.add(half);
  }

  private void edit(String name, Half half, boolean open) {
    client
        .nodes()
        .withName(name)
        .edit(
            node -> {
              Node changed =
                  new NodeBuilder(node)
                      .editMetadata()
                      .addToLabels(Half.LABEL, half.label())
                      .endMetadata()
                      .build();
              changed.getSpec().setUnschedulable(open ? null : true);
              return changed;
            });
  }
}
