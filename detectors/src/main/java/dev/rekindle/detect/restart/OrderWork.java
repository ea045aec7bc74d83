package dev.rekindle.detect.restart;

import dev.rekindle.api.RestartReport;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The progress of the agent on one order. */
final class OrderWork {
  private static final Duration FIRST_RETRY = Duration.ofMillis(250);
  private static final Duration LAST_RETRY = Duration.ofSeconds(5);

  /** The report as stored; null when none is known. */
  @Nullable RestartReport report;

  /** Whether there can be a report that is not known: by an agent before, or by a lost answer. */
  boolean toRead;

  /** Why the order cannot be carried out; stays for as long as there is the order. */
  String problem = "";

  /** Whether the job was seen to allow it. */
  boolean allowed;

  /** When what is frozen runs on; null while that is not known, or where the order says it. */
  private @Nullable Instant end;

  private String failure = "";

  private Instant next = Instant.MIN;
  private Duration retry = FIRST_RETRY;

  OrderWork(boolean toRead) {
    this.toRead = toRead;
  }

  /**
   * The order with its end by this agent's own count, whatever the clocks of others say. A process
   * that is restarted again and again does not hold for longer by that.
   *
   * @param notes what was done for the order before
   */
  Order timed(Order order, Collection<JournalEntry> notes, Instant now) {
    var lasts = order.lasts();
    if (lasts == null) {
      return order;
    }
    var last = end;
    if (last == null) {
      var latest = now.plus(lasts);
      last =
          notes.stream()
              .flatMap(note -> Stream.ofNullable(note.until()))
              .filter(latest::isAfter)
              .min(Comparator.naturalOrder())
              .orElse(latest);
      end = last;
    }
    return order.endingAt(last);
  }

  /** Whether it fails otherwise than in the round before: rounds follow each other closely. */
  boolean isNews(Throwable failed) {
    boolean news = !failure.equals(failed.toString());
    failure = failed.toString();
    return news;
  }

  /** Whether the API server may be asked now. */
  boolean mayCall(Instant now) {
    return !now.isBefore(next);
  }

  void failed(Instant now) {
    next = now.plus(retry);
    retry = retry.multipliedBy(2).compareTo(LAST_RETRY) < 0 ? retry.multipliedBy(2) : LAST_RETRY;
  }

  void succeeded() {
    next = Instant.MIN;
    retry = FIRST_RETRY;
  }
}
