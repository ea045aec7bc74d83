package dev.rekindle.simulator.api;

import dev.rekindle.simulator.engine.Loop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The API server and the garbage collector behind it. One counter of resource versions for all
 * kinds, as in etcd.
 */
public final class ApiServer {
  private static final Duration COLLECTS_AFTER = Duration.ofMillis(100);

  private final Loop loop;
  private final List<Collection<?>> collections = new ArrayList<>();
  private long version;
  private long uids;

  /** An empty one. */
  public ApiServer(Loop loop) {
    this.loop = loop;
  }

  /** Installs a kind whose objects are gone as soon as they are deleted. */
  public <T extends ApiObject<T>> Collection<T> install(String name) {
    return install(new Kind<T>(name, Map.of(), _ -> 0L));
  }

  /** Installs a kind. */
  public <T extends ApiObject<T>> Collection<T> install(Kind<T> kind) {
    Collection<T> collection = new Collection<>(kind, loop, () -> ++version, () -> "uid-" + ++uids);
    collections.add(collection);
    collection.watch(
        change -> {
          if (change.after() == null) {
            collect(change.object().meta().uid());
          }
        });
    return collection;
  }

  /** What goes with an owner goes soon after it. */
  private void collect(String owner) {
    if (collections.stream().anyMatch(c -> !c.ownedBy(Set.of(owner)).isEmpty())) {
      loop.after(
          COLLECTS_AFTER, () -> collections.forEach(collection -> collect(collection, owner)));
    }
  }

  private static <T extends ApiObject<T>> void collect(Collection<T> collection, String owner) {
    for (T dependent : collection.ownedBy(Set.of(owner))) {
      if (!dependent.meta().terminating()) {
        collection.delete(dependent.meta().key(), dependent.meta().uid(), null);
      }
    }
  }
}
