package dev.rekindle.detect.agent;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/** Sightings of one fault that are not in its object yet: how many, the first and the newest. */
final class Pending {
  private final ArrayDeque<FaultSighting> ends = new ArrayDeque<>(2);
  private @Nullable Instant written;
  long count;

  /** Whether the last write is long enough ago for another. */
  boolean isDue(InstantSource clock) {
    return written == null || !clock.instant().isBefore(written.plus(FaultWriter.REPEAT));
  }

  void add(FaultSighting sighting) {
    if (ends.size() == 2) {
      ends.removeLast();
    }
    ends.addLast(sighting);
    count++;
  }

  /** Undoes the last {@link #add}: the sighting will be offered again. */
  void takeBack(FaultSighting sighting) {
    if (ends.removeLastOccurrence(sighting)) {
      count--;
    }
    if (ends.isEmpty()) {
      count = 0;
    }
  }

  void delivered(InstantSource clock) {
    ends.clear();
    count = 0;
    written = clock.instant();
  }

  FaultSighting first() {
    return element(ends.peekFirst());
  }

  FaultSighting last() {
    return element(ends.peekLast());
  }

  private static FaultSighting element(@Nullable FaultSighting sighting) {
    if (sighting == null) {
      throw new NoSuchElementException("no sighting waits");
    }
    return sighting;
  }
}
