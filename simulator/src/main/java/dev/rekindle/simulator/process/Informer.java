package dev.rekindle.simulator.process;

import dev.rekindle.controller.cache.ViewFeed;
import dev.rekindle.simulator.api.ApiObject;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.api.Collection;
import dev.rekindle.simulator.engine.Loop;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * One watch of one process: what changed arrives late and in order; a watch that broke lists again,
 * from a replica of the API server that may be behind, and then shows again what was seen before.
 */
final class Informer<T extends ApiObject<T>, V> {
  private final Collection<T> source;
  private final Function<T, V> view;
  private final ViewFeed<V> feed;
  private final Loop loop;
  private final Supplier<Duration> lag;
  private final Supplier<Duration> paused;

  /** Keys that were delivered, with their newest version: the content of an informer's store. */
  private final Map<String, Long> known = new TreeMap<>();

  private final Deque<Change<T>> underWay = new ArrayDeque<>();
  private final Consumer<Change<T>> watcher = this::changed;
  private boolean delivering;
  private boolean connected;
  private boolean stopped;

  Informer(
      Collection<T> source,
      Function<T, V> view,
      ViewFeed<V> feed,
      Loop loop,
      Supplier<Duration> lag,
      Supplier<Duration> paused) {
    this.source = source;
    this.view = view;
    this.feed = feed;
    this.loop = loop;
    this.lag = lag;
    this.paused = paused;
  }

  /** Lists, after that time, and watches from there. */
  void connect(Duration after, Duration behind) {
    source.watch(watcher);
    loop.after(after, () -> list(behind));
  }

  private void list(Duration behind) {
    if (stopped || connected) {
      return;
    }
    connected = true;
    List<Change<T>> unseen =
        behind.isZero() ? List.of() : source.since(loop.instant().minus(behind));
    Set<String> missing = new HashSet<>(known.keySet());
    if (unseen.isEmpty()) {
      for (T object : source.all()) {
        missing.remove(object.meta().key());
        present(object);
      }
    } else {
      source
          .before(unseen)
          .forEach(
              (key, object) -> {
                missing.remove(key);
                present(object);
              });
    }
    missing.stream().sorted().forEach(this::gone);
    unseen.forEach(this::changed);
  }

  /** Loses the connection and takes it up again later. */
  void breakFor(Duration time, Duration behind) {
    if (connected && !stopped) {
      connected = false;
      underWay.clear();
      loop.after(time, () -> list(behind));
    }
  }

  boolean synced() {
    return connected || !known.isEmpty();
  }

  void stop() {
    stopped = true;
    source.unwatch(watcher);
  }

  private void changed(Change<T> change) {
    if (connected && !stopped) {
      underWay.addLast(change);
      if (!delivering) {
        delivering = true;
        loop.after(lag.get(), this::deliver);
      }
    }
  }

  /** Everything that has come in until now arrives together, in order. */
  private void deliver() {
    if (stopped) {
      return;
    }
    Duration pause = paused.get();
    if (pause.isPositive()) {
      loop.after(pause, this::deliver);
      return;
    }
    delivering = false;
    while (!underWay.isEmpty()) {
      Change<T> change = underWay.removeFirst();
      if (change.after() == null) {
        gone(change.key());
      } else {
        present(change.after());
      }
    }
  }

  private void present(T object) {
    String key = object.meta().key();
    known.put(key, object.meta().version());
    feed.present(key, Long.toString(object.meta().version()), view.apply(object));
  }

  private void gone(String key) {
    Long version = known.remove(key);
    if (version != null) {
      feed.gone(key, Long.toString(version));
    }
  }
}
