package dev.rekindle.detect.restart;

import dev.rekindle.logging.LogKey;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The notes of all orders, in memory and where they are kept. Used by one thread. */
public final class RestartJournal {
  private static final Logger LOG = LoggerFactory.getLogger(RestartJournal.class);

  private final JournalStore store;
  private final Map<String, Map<String, JournalEntry>> orders = new HashMap<>();

  /**
   * Takes up the journal of the agent before. One that cannot be read is left behind, since an
   * agent that does not start is of no use: a machine that lost its power may have left an empty
   * file, and its frozen processes are gone as well.
   */
  public RestartJournal(JournalStore store) {
    this.store = store;
    try {
      store.read().forEach(this::put);
    } catch (IOException e) {
      LOG.atError()
          .addKeyValue(LogKey.ERROR.key(), e.toString())
          .log("Cannot read the restart journal; what the former agent froze is not known");
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
