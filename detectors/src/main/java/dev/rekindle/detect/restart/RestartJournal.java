package dev.rekindle.detect.restart;

import java.io.IOException;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The notes of all orders, in memory and where they are kept. Used by one thread. */
public final class RestartJournal {
  private final JournalStore store;
  private final Map<String, Map<String, JournalEntry>> orders = new HashMap<>();

  /**
   * Opens the book.
   *
   * @throws IOException when there is one that cannot be read
   */
  public RestartJournal(JournalStore store) throws IOException {
    this.store = store;
    for (var note : store.read()) {
      put(note);
    }
  }

  /** The notes of an order by the UID of the pod, as they are now, in the order of those. */
  Map<String, JournalEntry> of(String orderUid) {
    return Collections.unmodifiableMap(new TreeMap<>(orders.getOrDefault(orderUid, Map.of())));
  }

  /** UIDs of the orders with notes, sorted. */
  Set<String> orders() {
    return new TreeSet<>(orders.keySet());
  }

  /** All notes. */
  List<JournalEntry> all() {
    return orders.values().stream().map(Map::values).flatMap(Collection::stream).toList();
  }

  /**
   * Notes this instead of what was noted of the pod for the order.
   *
   * @throws IOException when it cannot be kept; it is in memory nevertheless
   */
  void write(JournalEntry note) throws IOException {
    if (!note.equals(put(note))) {
      store.write(all());
    }
  }

  /**
   * Forgets an order.
   *
   * @throws IOException when that cannot be kept
   */
  void forget(String orderUid) throws IOException {
    if (orders.remove(orderUid) != null) {
      store.write(all());
    }
  }

  private @Nullable JournalEntry put(JournalEntry note) {
    return orders.computeIfAbsent(note.orderUid(), uid -> new HashMap<>()).put(note.podUid(), note);
  }
}
