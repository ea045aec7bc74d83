package dev.rekindle.controller.runtime;

import dev.rekindle.controller.port.ClusterGateway.CallException;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.port.ClusterGateway.UnavailableException;
import dev.rekindle.detect.SteadyClock;
import dev.rekindle.logging.LogKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reconciles keys when they are due.
 *
 * <ul>
 *   <li>A key added many times before its turn is reconciled once.
 *   <li>No two workers reconcile one key at the same time. A key that was added meanwhile is
 *       reconciled again, after the {@link Reconciler#minInterval} that it is given.
 *   <li>A reconcile that throws is retried with {@link Backoff}, not before the API server wants to
 *       be asked again. One that met {@link StaleException} is retried after 100 ms, and less often
 *       when it meets one each time.
 * </ul>
 */
public final class WorkQueue<K> implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WorkQueue.class);
  private static final Duration STALE = Duration.ofMillis(100);
  private static final Duration LONGEST_STALE = Duration.ofSeconds(5);

  /** So many reconciles in a row may meet an object that has changed before they become rarer. */
  private static final int USUAL_STALE = 50;

  /**
   * No key waits for longer, whatever its reconcile asks for: that may come from the clock of a
   * node, or from a forged report, and be thousands of years away.
   */
  private static final Duration LONGEST = Duration.ofDays(1);

  /**
   * A reconcile in which no call ends for so long hangs: every remote call has a shorter timeout.
   */
  private static final Duration HANGS = Duration.ofMinutes(5);

  private final String name;
  private final Backoff backoff;
  private final SteadyClock clock;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final DelayQueue<K> waiting = new DelayQueue<>();
  private final Map<K, Integer> failures = new HashMap<>();
  private final Map<K, Integer> stales = new HashMap<>();

  /** When each key in hand was taken, or when a call of its reconcile ended last. */
  private final Map<K, Instant> takenAt = new HashMap<>();

  private final List<Thread> workers = new ArrayList<>();
  private boolean closed;

  /**
   * @param name for logs and threads
   */
  public WorkQueue(String name, Backoff backoff, SteadyClock clock) {
    this.name = name;
    this.backoff = backoff;
    this.clock = clock;
  }

  /** Asks for a reconcile of the key as soon as possible. */
  public void add(K key) {
    lock.lock();
    try {
      waiting.add(key, clock.instant());
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Starts so many workers; what was requested before waits until then. */
  public void start(int count, Reconciler<K> reconciler) {
    lock.lock();
    try {
      for (int i = 0; i < count; i++) {
        workers.add(Thread.ofVirtual().name(name + "-" + i).start(() -> work(reconciler)));
      }
    } finally {
      lock.unlock();
    }
  }

  /** Whether all workers run and none of them hangs. */
  public boolean alive() {
    lock.lock();
    try {
      Instant hangs = clock.instant().minus(HANGS);
      return workers.stream().allMatch(Thread::isAlive)
          && takenAt.values().stream().noneMatch(hangs::isAfter);
    } finally {
      lock.unlock();
    }
  }

  /** Keys requested and not in hand. */
  public int size() {
    lock.lock();
    try {
      return waiting.size();
    } finally {
      lock.unlock();
    }
  }

  /** What is due and waits for a worker. */
  public Backlog backlog() {
    lock.lock();
    try {
      Instant now = clock.instant();
      Duration oldest =
          waiting
              .next()
              .map(at -> Duration.between(at, now))
              .filter(Duration::isPositive)
              .orElse(Duration.ZERO);
      return new Backlog(waiting.due(now), oldest);
    } finally {
      lock.unlock();
    }
  }

  /** Takes no further key; reconciles under way go on to their end. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void work(Reconciler<K> reconciler) {
    while (true) {
      Optional<K> key = await();
      if (key.isEmpty()) {
        return;
      }
      Heartbeat.during(() -> beat(key.get()), () -> handle(key.get(), reconciler));
    }
  }

  private void beat(K key) {
    lock.lock();
    try {
      var _ = takenAt.replace(key, clock.instant());
    } finally {
      lock.unlock();
    }
  }

  /**
   * When the next key that no worker has in hand is due, by its clock; empty when there is none.
   */
  public Optional<Instant> next() {
    lock.lock();
    try {
      return waiting.next();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Reconciles one key that is due, on this thread; false when none is. For who has its own way of
   * waiting, such as a simulation; everybody else calls {@link #start}.
   */
  public boolean step(Reconciler<K> reconciler) {
    Optional<K> key;
    lock.lock();
    try {
      key = take();
    } finally {
      lock.unlock();
    }
    key.ifPresent(k -> handle(k, reconciler));
    return key.isPresent();
  }

  private Optional<K> await() {
    lock.lock();
    try {
      while (!closed) {
        Optional<K> key = take();
        if (key.isPresent()) {
          return key;
        }
        Optional<Instant> next = waiting.next();
        if (next.isEmpty()) {
          changed.await();
        } else {
          var _ =
              changed.await(
                  Math.max(1, Duration.between(clock.instant(), next.get()).toNanos()),
                  TimeUnit.NANOSECONDS);
        }
      }
    } catch (InterruptedException shutDown) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
    return Optional.empty();
  }

  private Optional<K> take() {
    Instant now = clock.instant();
    Optional<K> key = waiting.take(now);
    key.ifPresent(k -> takenAt.put(k, now));
    return key;
  }

  /**
   * What waits in a queue.
   *
   * @param due keys that are due
   * @param oldest how long the one of them waits that was due first; zero where none is
   */
  public record Backlog(int due, Duration oldest) {
    /** Of a queue in which nothing waits. */
    public static final Backlog NONE = new Backlog(0, Duration.ZERO);
  }

  /** How a reconcile ended. */
  private sealed interface End {
    /** It came to its end; empty where nothing is due by itself. */
    record Well(Optional<Duration> again) implements End {}

    /** An object had changed since it was read. */
    record Stale() implements End {}

    /** It threw; not to be tried again before that time is over. */
    record Failed(Duration atLeast) implements End {}
  }

  private void handle(K key, Reconciler<K> reconciler) {
    giveBack(key, end(key, reconciler), rest(key, reconciler));
  }

  /** None where it cannot be said: a key that is not given back is never reconciled again. */
  private Duration rest(K key, Reconciler<K> reconciler) {
    try {
      return bounded(reconciler.minInterval(key));
    } catch (RuntimeException | Error error) {
      LOG.atError()
          .addKeyValue(LogKey.QUEUE.key(), name)
          .addKeyValue(LogKey.OBJECT.key(), key)
          .addKeyValue(LogKey.ERROR.key(), error.toString())
          .setCause(error)
          .log("No interval is known for an object; reconciling it without a pause");
      return Duration.ZERO;
    }
  }

  private End end(K key, Reconciler<K> reconciler) {
    try {
      return new End.Well(reconciler.reconcile(key));
    } catch (StaleException stale) {
      LOG.atInfo()
          .addKeyValue(LogKey.QUEUE.key(), name)
          .addKeyValue(LogKey.OBJECT.key(), key)
          .addKeyValue(LogKey.REASON.key(), stale.getMessage())
          .log("Object changed; reconciling again");
      return new End.Stale();
    } catch (CallException call) {
      LOG.atWarn()
          .addKeyValue(LogKey.QUEUE.key(), name)
          .addKeyValue(LogKey.OBJECT.key(), key)
          .addKeyValue(LogKey.STATUS.key(), call.status())
          .addKeyValue(LogKey.ERROR.key(), call.text())
          .log("Reconcile failed; retrying");
      return new End.Failed(
          call instanceof UnavailableException busy ? busy.retryAfter() : Duration.ZERO);
    } catch (RuntimeException | Error error) {
      LOG.atError()
          .addKeyValue(LogKey.QUEUE.key(), name)
          .addKeyValue(LogKey.OBJECT.key(), key)
          .addKeyValue(LogKey.ERROR.key(), error.toString())
          .setCause(error)
          .log("Reconcile failed; retrying");
      return new End.Failed(Duration.ZERO);
    }
  }

  private void giveBack(K key, End end, Duration minInterval) {
    lock.lock();
    try {
      takenAt.remove(key);
      Instant now = clock.instant();
      switch (end) {
        case End.Well(Optional<Duration> again) -> {
          failures.remove(key);
          stales.remove(key);
          again.map(WorkQueue::bounded).ifPresent(delay -> waiting.add(key, now.plus(delay)));
        }
        case End.Stale() -> {
          failures.remove(key);
          waiting.add(key, now.plus(stale(stales.merge(key, 1, Integer::sum))));
        }
        case End.Failed(Duration atLeast) -> {
          Duration delay = backoff.after(failures.merge(key, 1, Integer::sum));
          waiting.add(key, now.plus(bounded(delay.compareTo(atLeast) > 0 ? delay : atLeast)));
        }
      }
      waiting.done(key, now, minInterval);
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  private static Duration bounded(Duration delay) {
    return delay.compareTo(LONGEST) > 0 ? LONGEST : delay;
  }

  private static Duration stale(int inARow) {
    Duration delay = STALE;
    for (int i = USUAL_STALE; i < inARow && delay.compareTo(LONGEST_STALE) < 0; i++) {
      delay = delay.multipliedBy(2);
    }
    return delay.compareTo(LONGEST_STALE) > 0 ? LONGEST_STALE : delay;
  }
}
