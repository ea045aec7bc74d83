package dev.rekindle.controller.cache;

import dev.rekindle.logging.LogKey;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes in so many reports of one node. An agent writes one for each pod of its node, or for each
 * order that concerns it, and its token could write them without end: all of a cluster would be in
 * the memory of the controller. What is left out is taken in when it is written or listed again and
 * others have gone.
 *
 * <p>Who may create pods has the agent write reports as well. So where a node has too many, those
 * of the namespace with the most give way to those of another.
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
  public synchronized void present(String key, @Nullable String resourceVersion, V view) {
    String of = node.apply(view);
    if (byNode.count(of) < most || table.get(key).isPresent()) {
      crowded.remove(of);
      feed.present(key, resourceVersion, view);
      return;
    }
    if (crowded.add(of)) {
      LOG.atWarn()
          .addKeyValue(LogKey.NODE.key(), of)
          .addKeyValue(LogKey.OBJECT.key(), key)
          .addKeyValue(LogKey.COUNT.key(), most)
          .log("Too many reports of a node; some are not read");
    }
    givesWay(of, namespace(key))
        .ifPresent(
            other -> {
              feed.gone(other, null);
              feed.present(key, resourceVersion, view);
            });
  }

  /** The oldest report of the namespace with the most on the node, if that has more than this. */
  private Optional<String> givesWay(String of, String namespace) {
    Map<String, List<String>> keys =
        byNode.keys(of).stream().collect(Collectors.groupingBy(ReportShare::namespace));
    int own = keys.getOrDefault(namespace, List.of()).size();
    return keys.values().stream()
        .max(Comparator.comparingInt(List::size))
        .filter(others -> others.size() > own + 1)
        .map(List::getFirst);
  }

  private static String namespace(String key) {
    return key.substring(0, Math.max(key.indexOf('/'), 0));
  }

  @Override
  public synchronized void gone(String key, @Nullable String resourceVersion) {
    feed.gone(key, resourceVersion);
  }
}
