package dev.rekindle.controller.runtime;

import java.time.Duration;
import java.util.Optional;

/**
 * Brings the world of one key closer to what is wanted: observes, decides, acts. Called by one
 * thread at a time per key.
 *
 * @param <K> type of the keys
 */
@FunctionalInterface
public interface Reconciler<K> {
  /**
   * Reconciles the key.
   *
   * @return after how long to reconcile again even if nothing changes; empty for never. Where it
   *     throws, the key is retried with back-off
   */
  Optional<Duration> reconcile(K key);

  /**
   * The shortest time from the end of one reconcile of the key to the next, whatever changes
   * meanwhile: for keys that change more often than it pays to reconcile them. Asked after each
   * reconcile.
   */
  default Duration minInterval(K key) {
    return Duration.ZERO;
  }
}
