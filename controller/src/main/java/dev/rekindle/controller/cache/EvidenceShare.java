package dev.rekindle.controller.cache;

import dev.rekindle.controller.model.RestartView;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the evidence of few reports of one node: each may have a MiB of it. Of others what became
 * of the processes is kept, and that nothing can be concluded from what they do not show.
 */
final class EvidenceShare implements ViewFeed<RestartView> {
  /** As many gangs as a node with eight GPUs can be part of. */
  static final int MOST = 8;

  private final Table<RestartView>.Index<String> byNode;
  private final ViewFeed<RestartView> feed;

  EvidenceShare(Table<RestartView>.Index<String> byNode, ViewFeed<RestartView> feed) {
    this.byNode = byNode;
    this.feed = feed;
  }

  @Override
  public void present(String key, @Nullable String resourceVersion, RestartView view) {
    boolean room =
        view.spec().ranks().isEmpty()
            || byNode.get(view.node()).stream()
                    .filter(r -> !key.equals(r.namespace() + "/" + r.name()))
                    .filter(r -> !r.spec().ranks().isEmpty())
                    .count()
                < MOST;
    feed.present(key, resourceVersion, room ? view : view.withoutEvidence());
  }

  @Override
  public void gone(String key, @Nullable String resourceVersion) {
    feed.gone(key, resourceVersion);
  }
}
