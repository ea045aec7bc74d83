package dev.rekindle.controller.cache;

import dev.rekindle.logging.LogKey;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes in so many reports of one node. An agent writes one for each pod of its node, or for each
 * order that concerns it, and its token could write them without end: all of a cluster would be in
 * the memory of the controller. What is left out is taken in when it is written or listed again and
 * others have gone.
 *
 * @param <V> the reports
 */
final class ReportShare<V> implements ViewFeed<V> {
  private static final Logger LOG = LoggerFactory.getLogger(ReportShare.class);

  private final Table<V> table;
  private final Table<V>.Index<String> byNode;
  private final Function<V, String> node;
  private final int most;
  private final ViewFeed<V> feed;
  private final Set<String> crowded = ConcurrentHashMap.newKeySet();

  /**
   * @param byNode the index of the table by the same node
   * @param node who wrote it
   * @param most of one node
   * @param feed takes those that are taken in
   */
  ReportShare(
      Table<V> table,
      Table<V>.Index<String> byNode,
      Function<V, String> node,
      int most,
      ViewFeed<V> feed) {
    this.table = table;
    this.byNode = byNode;
    this.node = node;
    this.most = most;
    this.feed = feed;
  }

  @Override
  public void present(String key, @Nullable String resourceVersion, V view) {
    String of = node.apply(view);
    if (byNode.count(of) < most || table.get(key).isPresent()) {
      crowded.remove(of);
      feed.present(key, resourceVersion, view);
    } else if (crowded.add(of)) {
      LOG.atWarn()
          .addKeyValue(LogKey.NODE.key(), of)
          .addKeyValue(LogKey.OBJECT.key(), key)
          .addKeyValue(LogKey.COUNT.key(), most)
          .log("Too many reports of a node; some are not read");
    }
  }

  @Override
  public void gone(String key, @Nullable String resourceVersion) {
    feed.gone(key, resourceVersion);
  }
}
