package dev.rekindle.controller.runtime;

import java.time.Duration;
import java.util.Optional;

/**
 * Looks at one key: observes, decides, acts. Called by one thread at a time per key.
 *
 * @param <K> what a key is
 */
@FunctionalInterface
public interface Reconciler<K> {
  /**
   * Looks at the key.
   *
   * @return after how long to look again even if nothing changes; empty for never. Throwing means
   *     looking again with back-off
   */
  Optional<Duration> reconcile(K key);

  /**
   * How long to leave the key alone after a look at it, whatever happens meanwhile: for keys that
   * change more often than it pays to look at them. Asked after each look.
   */
  default Duration rest(K key) {
    return Duration.ZERO;
  }
}
