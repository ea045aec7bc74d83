package dev.rekindle.simulator.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.PriorityQueue;

/**
 * Virtual time. Events run one after another in the order of their times, those of one time in the
 * order in which they were requested; between two events no time passes. Not thread-safe: the loop,
 * or the fiber that runs at the moment, has it for itself.
 */
public final class Loop implements InstantSource {
  /** When every simulation begins. */
  public static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");

  private static final class Event implements Comparable<Event> {
    private final long at;
    private final long order;
    private final Runnable action;

    private Event(long at, long order, Runnable action) {
      this.at = at;
      this.order = order;
      this.action = action;
    }

    @Override
    public int compareTo(Event other) {
      return at == other.at ? Long.compare(order, other.order) : Long.compare(at, other.at);
    }
  }

  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private long now;
  private Instant instant = T0;
  private long asked;
  private long run;

  @Override
  public Instant instant() {
    return instant;
  }

  /** Microseconds since {@link #T0}. */
  public long micros() {
    return now;
  }

  /** Runs the action so much later. */
  public void after(Duration delay, Runnable action) {
    atMicros(now + Math.max(0, delay.toNanos() / 1_000), action);
  }

  /** Runs the action then; now, if that is past. */
  public void at(Instant when, Runnable action) {
    atMicros(Math.max(now, micros(when)), action);
  }

  private void atMicros(long at, Runnable action) {
    events.add(new Event(at, asked++, action));
  }

  /** Runs the next event; false when there is none up to and including the given time. */
  public boolean step(long until) {
    Event next = events.peek();
    if (next == null || next.at > until) {
      return false;
    }
    events.remove();
    moveTo(next.at);
    run++;
    next.action.run();
    return true;
  }

  /** Lets time pass up to the given one, when no event lies before it. */
  public void moveTo(long micros) {
    if (micros > now) {
      now = micros;
      instant = T0.plus(now, ChronoUnit.MICROS);
    }
  }

  /** Events run so far. */
  public long eventsRun() {
    return run;
  }

  /** The time in microseconds since {@link #T0}. */
  public static long micros(Instant when) {
    return ChronoUnit.MICROS.between(T0, when);
  }
}
