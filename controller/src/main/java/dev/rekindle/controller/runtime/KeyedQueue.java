package dev.rekindle.controller.runtime;

import dev.rekindle.controller.cluster.ClusterGateway.StaleException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
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
 * Looks at keys when they are due.
 *
 * <ul>
 *   <li>A key added many times before it is looked at is looked at once.
 *   <li>A key is never looked at by two workers at one time; added meanwhile, it is looked at
 *       again, after the {@link Reconciler#rest} that it is given.
 *   <li>A look that throws is repeated with {@link Backoff}; one that met {@link StaleException} is
 *       repeated soon and does not count as failed.
 * </ul>
 */
public final class KeyedQueue<K> implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KeyedQueue.class);
  private static final Duration STALE = Duration.ofMillis(100);

  /** A look longer than this hangs: every remote call has a shorter timeout. */
  private static final Duration HANGS = Duration.ofMinutes(5);

  private final String name;
  private final Backoff backoff;
  private final InstantSource clock;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Agenda<K> agenda = new Agenda<>();
  private final Map<K, Integer> failures = new HashMap<>();
  private final Map<K, Instant> takenAt = new HashMap<>();
  private final List<Thread> workers = new ArrayList<>();
  private boolean closed;

  /**
   * @param name for logs and threads
   */
  public KeyedQueue(String name, Backoff backoff, InstantSource clock) {
    this.name = name;
    this.backoff = backoff;
    this.clock = clock;
  }

  /** Asks for a look at the key as soon as possible. */
  public void add(K key) {
    lock.lock();
    try {
      agenda.add(key, clock.instant());
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Starts so many workers; what was asked for before waits until then. */
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

  /** Keys asked for and not in hand. */
  public int size() {
    lock.lock();
    try {
      return agenda.size();
    } finally {
      lock.unlock();
    }
  }

  /** Takes no further key; looks under way go on to their end. */
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
      look(key.get(), reconciler);
    }
  }

  /** When the next key that no worker has in hand is due; empty when there is none. */
  public Optional<Instant> next() {
    lock.lock();
    try {
      return agenda.next();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Looks at one key that is due, on this thread; false when none is. For who has its own way of
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
    key.ifPresent(k -> look(k, reconciler));
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
        Optional<Instant> next = agenda.next();
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
    Optional<K> key = agenda.take(now);
    key.ifPresent(k -> takenAt.put(k, now));
    return key;
  }

  private void look(K key, Reconciler<K> reconciler) {
    Optional<Duration> again;
    boolean failed = false;
    try {
      again = reconciler.reconcile(key);
    } catch (StaleException stale) {
      LOG.atInfo()
          .addKeyValue("queue", name)
          .addKeyValue("key", key)
          .addKeyValue("reason", stale.getMessage())
          .log("The object changed meanwhile; looking again");
      again = Optional.of(STALE);
    } catch (RuntimeException | Error error) {
      LOG.atError()
          .addKeyValue("queue", name)
          .addKeyValue("key", key)
          .addKeyValue("error", error.toString())
          .setCause(error)
          .log("A look failed and is repeated");
      again = Optional.empty();
      failed = true;
    }
    giveBack(key, again, failed, reconciler.rest(key));
  }

  private void giveBack(K key, Optional<Duration> again, boolean failed, Duration rest) {
    lock.lock();
    try {
      takenAt.remove(key);
      Instant now = clock.instant();
      if (failed) {
        int count = failures.merge(key, 1, Integer::sum);
        agenda.add(key, now.plus(backoff.after(count)));
      } else {
        failures.remove(key);
        again.ifPresent(delay -> agenda.add(key, now.plus(delay)));
      }
      agenda.done(key, now, rest);
      changed.signal();
    } finally {
      lock.unlock();
    }
  }
}
