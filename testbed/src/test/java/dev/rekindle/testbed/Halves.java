package dev.rekindle.testbed;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
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

  /** Others write nodes all the time: this says nothing of the version that it changes. */
  private void edit(String name, Half half, boolean open) {
    client
        .nodes()
        .withName(name)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            """
            {"metadata": {"labels": {"%s": "%s"}}, "spec": {"unschedulable": %s}}
            """
                .formatted(Half.LABEL, half.label(), open ? "null" : "true"));
  }
}
