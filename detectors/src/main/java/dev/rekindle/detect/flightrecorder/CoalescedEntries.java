package dev.rekindle.detect.flightrecorder;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The entries of one group, in which calls may be coalesced: {@code batch_isend_irecv}, or
 * collectives of a {@code _coalescing_manager}.
 *
 * <p>NCCL's recorder keeps an entry for each call of such a batch, which stays {@code scheduled}
 * for ever, and behind them an entry {@code coalesced} that has the state of all. They share both
 * sequence numbers. Where only what is pending was dumped, entries of batches that are over have
 * lost theirs; that one is missing as well where the rank stands inside of the batch.
 */
final class CoalescedEntries {
  private static final String END = "coalesced";

  /** Both numbers of an entry: equal within a batch, and only there. */
  record Numbers(long collective, long peer) {
    private boolean known() {
      return collective >= 0 && peer >= 0;
    }
  }

  private record Entry(Collective call, Numbers numbers) {
    boolean end() {
      return call.operation().equals(END);
    }
  }

  private final List<Entry> entries = new ArrayList<>();

  /**
   * Adds the next entry.
   *
   * @return whether it is the end of a batch whose calls have been added
   */
  boolean add(Collective call, Numbers numbers) {
    var entry = new Entry(call, numbers);
    boolean ends = entry.end() && !entries.isEmpty() && entries.getLast().numbers().equals(numbers);
    entries.add(entry);
    return ends;
  }

  /**
   * The operations: those of a batch with its state, and collectives of one batch as one.
   *
   * @param onlyPending whether the dump has nothing that is over
   * @param completed the last number that is over by the status of the group; -1 for none
   */
  List<Collective> operations(boolean onlyPending, long completed) {
    boolean batches =
        entries.stream().anyMatch(Entry::end)
            || twice(Entry::numbers, e -> e.numbers().known())
            || (onlyPending
                && twice(e -> e.call().operation(), e -> e.numbers().peer() <= completed));
    List<Collective> operations = new ArrayList<>();
    for (int i = 0; i < entries.size(); ) {
      int end = end(i);
      batch(entries.subList(i, end), batches, onlyPending, end == entries.size(), operations);
      i = end;
    }
    return operations;
  }

  /** Whether two sends or receives have the same: numbers, or the peer where both are over. */
  private boolean twice(Function<Entry, Object> what, Predicate<Entry> which) {
    Set<Object> seen = new HashSet<>();
    return entries.stream()
        .filter(e -> e.call().pointToPoint())
        .filter(which)
        .anyMatch(e -> !seen.add(what.apply(e)));
  }

  /** Behind the last entry of the batch that begins here. */
  private int end(int start) {
    var numbers = entries.get(start).numbers();
    int i = start;
    while (i < entries.size() && numbers.known() && entries.get(i).numbers().equals(numbers)) {
      if (entries.get(i++).end()) {
        return i;
      }
    }
    return Math.max(i, start + 1);
  }

  private static void batch(
      List<Entry> batch,
      boolean batches,
      boolean onlyPending,
      boolean last,
      List<Collective> operations) {
    boolean ended = batch.getLast().end();
    var calls = batch.stream().filter(Predicate.not(Entry::end)).map(Entry::call).toList();
    if (calls.isEmpty()) {
      operations.add(batch.getLast().call());
      return;
    }
    if (!ended && calls.size() == 1 && !(batches && onlyPending)) {
      operations.add(calls.getFirst());
      return;
    }
    if (!ended && !onlyPending && last) {
      return; // The rank stands inside of it: nothing of it is enqueued.
    }
    var end = ended ? batch.getLast().call() : calls.getFirst().over();
    if (calls.stream().allMatch(Collective::pointToPoint)) {
      calls.forEach(call -> operations.add(call.like(end)));
    } else if (calls.size() == 1) {
      operations.add(calls.getFirst().like(end));
    } else {
      var first = calls.getFirst();
      operations.add(
          new Collective(first.sequence(), END, "", false, true, first.created()).like(end));
    }
  }
}
