package dev.rekindle.console;

import dev.rekindle.api.Recovery;
import dev.rekindle.page.RecoveryRow;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The recoveries of all namespaces that are watched: a list of one namespace says nothing of what
 * belongs to another, so each watch has a store of its own.
 */
record KeptRecoveries(List<RecoveryStore> stores) {
  KeptRecoveries {
    stores = List.copyOf(stores);
  }

  /** Rows of all of them, in no order. */
  Stream<RecoveryRow> rows() {
    return stores.stream().flatMap(RecoveryStore::rows);
  }

  /** Namespaces that have any. */
  Collection<String> namespaces() {
    return rows().map(RecoveryRow::namespace).distinct().sorted().toList();
  }

  /** The object of that name. */
  Optional<Recovery> find(String namespace, String name) {
    return stores.stream().flatMap(s -> s.find(namespace, name).stream()).findFirst();
  }

  int size() {
    return stores.stream().mapToInt(RecoveryStore::size).sum();
  }
}
