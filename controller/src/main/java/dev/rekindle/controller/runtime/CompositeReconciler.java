package dev.rekindle.controller.runtime;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reconcilers of the same keys, called one after another. Where one fails the next is called all
 * the same, and the key is then retried with all of them.
 *
 * @param <K> type of the keys
 */
public final class CompositeReconciler<K> implements Reconciler<K> {
  private final List<Reconciler<K>> all;

  /** In this order. */
  public CompositeReconciler(List<Reconciler<K>> all) {
    this.all = List.copyOf(all);
  }

  @Override
  public Optional<Duration> reconcile(K key) {
    Optional<Duration> soonest = Optional.empty();
    RuntimeException failed = null;
    for (Reconciler<K> one : all) {
      try {
        soonest = sooner(soonest, one.reconcile(key));
      } catch (RuntimeException error) {
        failed = first(failed, error);
      }
    }
    if (failed != null) {
      throw failed;
    }
    return soonest;
  }

  @Override
  public Duration minInterval(K key) {
    return all.stream()
        .map(one -> one.minInterval(key))
        .max(Comparator.naturalOrder())
        .orElse(Duration.ZERO);
  }

  private static Optional<Duration> sooner(Optional<Duration> one, Optional<Duration> other) {
    return one.isEmpty() || (other.isPresent() && other.get().compareTo(one.get()) < 0)
        ? other
        : one;
  }

  private static RuntimeException first(@Nullable RuntimeException before, RuntimeException error) {
    if (before == null) {
      return error;
    }
    if (!before.equals(error)) {
      before.addSuppressed(error);
    }
    return before;
  }
}
