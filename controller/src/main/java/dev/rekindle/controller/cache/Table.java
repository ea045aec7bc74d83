package dev.rekindle.controller.cache;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Flat views of one kind, by name, with indexes. Knows the resource version of each row, so that
 * what we wrote ourselves is not overwritten by an older watch event that arrives after it.
 *
 * <p>Resource versions are compared as numbers, as Kubernetes allows since 1.35 and as etcd has
 * always made them. One that is no number is taken for newer.
 */
public final class Table<V> {
  private static final int GRAVES = 1_024;

  /**
   * What a write did.
   *
   * @param applied whether the row was taken; false when it is older than what is there
   * @param previous the row before
   */
  record Write<V>(boolean applied, @Nullable V previous) {}

  private record Row<V>(long version, V value) {}

  /**
   * A row and what to name in a write that is to meet exactly it.
   *
   * @param resourceVersion the version that the row was read from
   */
  public record Versioned<V>(String resourceVersion, V value) {}

  private final Map<String, Row<V>> rows = new HashMap<>();
  private final List<Index<?>> indexes = new ArrayList<>();

  /** What {@link #all} returns, until a row changes. */
  private @Nullable List<V> all;

  /** Versions of deleted rows: a write of ours may be reported to us after the deletion was. */
  private final Map<String, Long> tombstones =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
          return size() > GRAVES;
        }
      };

  /** An index; make all of them before the first row. */
  synchronized <I> Index<I> index(Function<V, I> of) {
    Index<I> index = new Index<>(of);
    indexes.add(index);
    return index;
  }

  /**
   * Takes a row as a watch showed it. After a list from a replica that was behind, a watch shows
   * rows again that the list did not have and that were taken for deleted: those come back.
   */
  Write<V> put(String key, @Nullable String resourceVersion, V value) {
    return put(key, resourceVersion, value, false);
  }

  /** Takes a row as the API server answered our own creation, ahead of or behind the watch. */
  Write<V> putCreated(String key, @Nullable String resourceVersion, V value) {
    return put(key, resourceVersion, value, true);
  }

  /**
   * Takes a row as the API server answered our own change of it. One that is not here any more was
   * deleted since: the answer may have taken longer than the news of that.
   */
  synchronized Write<V> putChanged(String key, @Nullable String resourceVersion, V value) {
    return rows.containsKey(key)
        ? put(key, resourceVersion, value, true)
        : new Write<>(false, null);
  }

  private synchronized Write<V> put(
      String key, @Nullable String resourceVersion, V value, boolean own) {
    long version = version(resourceVersion);
    Row<V> previous = rows.get(key);
    long newest = previous == null ? tombstones.getOrDefault(key, -1L) : previous.version();
    boolean known = own && previous == null && version == newest;
    if (version < newest || known) {
      return new Write<>(false, previous == null ? null : previous.value());
    }
    rows.put(key, new Row<>(version, value));
    tombstones.remove(key);
    V was = previous == null ? null : previous.value();
    indexes.forEach(index -> index.put(key, was, value));
    all = null;
    return new Write<>(true, was);
  }

  /** Removes the row; returns what it was. */
  synchronized @Nullable V remove(String key, @Nullable String resourceVersion) {
    Row<V> previous = rows.remove(key);
    if (previous == null) {
      return null;
    }
    indexes.forEach(index -> index.remove(key, previous.value()));
    all = null;
    long deleted = version(resourceVersion);
    tombstones.put(
        key,
        deleted == Long.MAX_VALUE ? previous.version() : Math.max(deleted, previous.version()));
    return previous.value();
  }

  synchronized Optional<V> get(String key) {
    return Optional.ofNullable(rows.get(key)).map(Row::value);
  }

  /** The row with its version; empty where that is not known as a number. */
  synchronized Optional<Versioned<V>> versioned(String key) {
    return Optional.ofNullable(rows.get(key))
        .filter(row -> row.version() != Long.MAX_VALUE)
        .map(row -> new Versioned<>(Long.toString(row.version()), row.value()));
  }

  synchronized List<V> all() {
    List<V> values = all;
    if (values == null) {
      values = rows.values().stream().map(Row::value).toList();
      all = values;
    }
    return values;
  }

  synchronized int size() {
    return rows.size();
  }

  private static long version(@Nullable String resourceVersion) {
    try {
      return resourceVersion == null ? Long.MAX_VALUE : Long.parseLong(resourceVersion);
    } catch (NumberFormatException opaque) {
      return Long.MAX_VALUE;
    }
  }

  /** Rows of one value of a property, in the order in which they came to have it. */
  private static final class Group<V> {
    private final Map<String, V> rows = new LinkedHashMap<>();
    private @Nullable List<V> list;

    void put(String key, V value) {
      rows.put(key, value);
      list = null;
    }

    void remove(String key) {
      rows.remove(key);
      list = null;
    }

    boolean isEmpty() {
      return rows.isEmpty();
    }

    int size() {
      return rows.size();
    }

    List<V> list() {
      List<V> values = list;
      if (values == null) {
        values = List.copyOf(rows.values());
        list = values;
      }
      return values;
    }
  }

  /**
   * Rows by a property. A reconcile requests the pods of its gang many times, and gets the same
   * list until one of them changes.
   */
  final class Index<I> {
    private final Function<V, I> of;
    private final Map<I, Group<V>> groups = new HashMap<>();
    private final List<Sums<I, ?>> sums = new ArrayList<>();

    private Index(Function<V, I> of) {
      this.of = of;
    }

    /**
     * What the rows of each property come to; make all of them before the first row.
     *
     * @param sum of the rows of one property; empty where they come to nothing
     */
    <S> Sums<I, S> sums(Function<List<V>, Optional<S>> sum) {
      synchronized (Table.this) {
        Sums<I, S> made = new Sums<>(this, sum);
        sums.add(made);
        return made;
      }
    }

    /** How many rows have it. */
    int count(I property) {
      synchronized (Table.this) {
        Group<V> group = groups.get(property);
        return group == null ? 0 : group.size();
      }
    }

    /** The keys of the rows that have it, in the order in which they came to have it. */
    List<String> keys(I property) {
      synchronized (Table.this) {
        Group<V> group = groups.get(property);
        return group == null ? List.of() : List.copyOf(group.rows.keySet());
      }
    }

    /** What rows have, in no order. */
    List<I> properties() {
      synchronized (Table.this) {
        return List.copyOf(groups.keySet());
      }
    }

    /** The rows that have it; unmodifiable. */
    List<V> get(I property) {
      synchronized (Table.this) {
        Group<V> group = groups.get(property);
        return group == null ? List.of() : group.list();
      }
    }

    private void put(String key, @Nullable V was, V value) {
      I property = of.apply(value);
      if (was != null && !of.apply(was).equals(property)) {
        remove(key, was);
      }
      groups.computeIfAbsent(property, _ -> new Group<>()).put(key, value);
      if (!value.equals(was)) {
        sums.forEach(sum -> sum.changed(property));
      }
    }

    private void remove(String key, V value) {
      I property = of.apply(value);
      Group<V> group = groups.get(property);
      if (group != null) {
        group.remove(key);
        if (group.isEmpty()) {
          groups.remove(property);
        }
        sums.forEach(sum -> sum.changed(property));
      }
    }
  }

  /**
   * What the rows of each property come to, together in one map. Of a table of a hundred thousand
   * rows, those are gone through again that have a property in common with one that has changed.
   */
  final class Sums<I, S> {
    private final Index<I> index;
    private final Function<List<V>, Optional<S>> sum;
    private final Map<I, S> known = new HashMap<>();
    private final Set<I> changed = new HashSet<>();
    private Map<I, S> all = Map.of();

    private Sums(Index<I> index, Function<List<V>, Optional<S>> sum) {
      this.index = index;
      this.sum = sum;
    }

    /** By property; the same map until a row changes. */
    Map<I, S> get() {
      synchronized (Table.this) {
        if (!changed.isEmpty()) {
          changed.forEach(this::count);
          changed.clear();
          all = Map.copyOf(known);
        }
        return all;
      }
    }

    private void count(I property) {
      sum.apply(index.get(property))
          .ifPresentOrElse(one -> known.put(property, one), () -> known.remove(property));
    }

    /** What comes and goes while the sums are not needed is not remembered. */
    private void changed(I property) {
      if (index.groups.containsKey(property) || known.containsKey(property)) {
        changed.add(property);
      } else {
        changed.remove(property);
      }
    }
  }
}
