package dev.rekindle.console;

import dev.rekindle.api.Recovery;
import dev.rekindle.page.ListPage;
import dev.rekindle.page.RecoveryRow;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/**
 * The recoveries of all namespaces that are watched: a list of one namespace says nothing of what
 * belongs to another, so each watch has a store of its own. Rows are sorted again only after a
 * change: pages are loaded far more often than recoveries change.
 */
final class KeptRecoveries {
  /**
   * Rows in the order of a list.
   *
   * @param changes of all stores, as counted before the rows were read
   * @param namespaces that have a row, sorted
   */
  private record Sorted(long changes, List<RecoveryRow> rows, List<String> namespaces) {}

  private final List<RecoveryStore> stores;
  private final AtomicReference<Sorted> sorted =
      new AtomicReference<>(new Sorted(-1, List.of(), List.of()));

  KeptRecoveries(List<RecoveryStore> stores) {
    this.stores = List.copyOf(stores);
  }

  List<RecoveryStore> stores() {
    return stores;
  }

  /** Rows of all of them, in the order of a list. */
  Stream<RecoveryRow> rows() {
    return sorted().rows().stream();
  }

  /** Namespaces that have any, sorted. */
  List<String> namespaces() {
    return sorted().namespaces();
  }

  private Sorted sorted() {
    // Counted first: a change while rows are read makes the next call sort again.
    long changes = stores.stream().mapToLong(RecoveryStore::changes).sum();
    Sorted last = sorted.get();
    if (last.changes() == changes) {
      return last;
    }
    List<RecoveryRow> rows =
        stores.stream().flatMap(RecoveryStore::rows).sorted(ListPage.ORDER).toList();
    Sorted now =
        new Sorted(
            changes, rows, rows.stream().map(RecoveryRow::namespace).distinct().sorted().toList());
    sorted.set(now);
    return now;
  }

  /** The object of that name. */
  Optional<Recovery> find(String namespace, String name) {
    return stores.stream().flatMap(s -> s.find(namespace, name).stream()).findFirst();
  }

  int size() {
    return stores.stream().mapToInt(RecoveryStore::size).sum();
  }
}
