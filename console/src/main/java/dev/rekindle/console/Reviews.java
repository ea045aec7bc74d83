package dev.rekindle.console;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;

/**
 * Answers of the API server, cached for a while. The oldest go first; a clock that is set back
 * makes an answer old.
 *
 * @param <K> what was asked
 * @param <V> the answer
 */
final class Reviews<K, V> {
  private record Answer<V>(V value, Instant at) {}

  private final SequencedMap<K, Answer<V>> answers = new LinkedHashMap<>();
  private final ConcurrentHashMap<K, FutureTask<V>> asked = new ConcurrentHashMap<>();
  private final Duration believed;
  private final int most;
  private final InstantSource clock;

  Reviews(Duration believed, int most, InstantSource clock) {
    this.believed = believed;
    this.most = most;
    this.clock = clock;
  }

  /**
   * The cached answer, or a new one. Who wants it while it is asked for waits for the same answer:
   * with many requests under way each would ask, whenever an answer gets too old.
   */
  V get(K key, Supplier<V> ask) {
    return known(key).orElseGet(() -> askOnce(key, ask));
  }

  private V askOnce(K key, Supplier<V> ask) {
    FutureTask<V> mine =
        new FutureTask<>(() -> known(key).orElseGet(() -> remember(key, ask.get())));
    FutureTask<V> other = asked.putIfAbsent(key, mine);
    if (other != null) {
      return answer(other);
    }
    try {
      mine.run();
      return answer(mine);
    } finally {
      asked.remove(key);
    }
  }

  private static <V> V answer(FutureTask<V> task) {
    try {
      return task.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while it waited for an answer", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException failure
          ? failure
          : new IllegalStateException(e.getCause());
    }
  }

  /** The earlier answer, if it is still valid. */
  synchronized Optional<V> known(K key) {
    Answer<V> answer = answers.get(key);
    if (answer == null) {
      return Optional.empty();
    }
    Duration age = Duration.between(answer.at(), clock.instant());
    if (age.isNegative() || age.compareTo(believed) > 0) {
      answers.remove(key);
      return Optional.empty();
    }
    return Optional.of(answer.value());
  }

  /** Keeps an answer that came otherwise. */
  void put(K key, V value) {
    remember(key, value);
  }

  private synchronized V remember(K key, V value) {
    answers.remove(key);
    answers.putLast(key, new Answer<>(value, clock.instant()));
    while (answers.size() > most) {
      answers.pollFirstEntry();
    }
    return value;
  }
}
