package dev.rekindle.console;

import dev.rekindle.api.Recovery;
import dev.rekindle.page.ListPage;
import dev.rekindle.page.RecoveryRow;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The recoveries of all namespaces that are watched: a list of one namespace says nothing of what
 * belongs to another, so each watch has a store of its own. Rows are sorted, and picked out for
 * those who may see some, only after a change.
 */
final class KeptRecoveries {
  /** So many different rights to see are remembered; who has others waits a little longer. */
  private static final int MOST_VIEWS = 16;

  /**
   * What there is between two changes.
   *
   * @param rows in the order of a list
   * @param namespaces that have a row, sorted
   * @param views what one sees who may see these namespaces
   */
  private record Sorted(
      List<RecoveryRow> rows, List<String> namespaces, Map<Set<String>, View> views) {}

  private final List<RecoveryStore> stores;
  private final Function<List<RecoveryRow>, View> look;
  private final Derived<Sorted> sorted;

  /**
   * @param stores one for each watch
   * @param look makes a view of rows
   */
  KeptRecoveries(List<RecoveryStore> stores, Function<List<RecoveryRow>, View> look) {
    this.stores = List.copyOf(stores);
    this.look = look;
    this.sorted =
        new Derived<>(
            () -> stores.stream().mapToLong(RecoveryStore::changes).sum(), () -> sort(stores));
  }

  private static Sorted sort(List<RecoveryStore> stores) {
    List<RecoveryRow> rows =
        stores.stream().flatMap(RecoveryStore::rows).sorted(ListPage.ORDER).toList();
    return new Sorted(
        rows,
        rows.stream().map(RecoveryRow::namespace).distinct().sorted().toList(),
        new ConcurrentHashMap<>());
  }

  List<RecoveryStore> stores() {
    return stores;
  }

  /** Namespaces that have any, sorted. */
  List<String> namespaces() {
    return sorted.get().namespaces();
  }

  /** Those of these namespaces. */
  View of(Set<String> namespaces) {
    Sorted now = sorted.get();
    View known = now.views().get(namespaces);
    if (known != null) {
      return known;
    }
    View view =
        look.apply(
            namespaces.containsAll(now.namespaces())
                ? now.rows()
                : now.rows().stream().filter(r -> namespaces.contains(r.namespace())).toList());
    if (now.views().size() < MOST_VIEWS) {
      now.views().put(Set.copyOf(namespaces), view);
    }
    return view;
  }

  /** The object of that name. */
  Optional<Recovery> find(String namespace, String name) {
    return stores.stream().flatMap(s -> s.find(namespace, name).stream()).findFirst();
  }

  int size() {
    return stores.stream().mapToInt(RecoveryStore::size).sum();
  }
}
