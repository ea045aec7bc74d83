package dev.rekindle.detect.evidence;

import java.util.HashMap;
import java.util.Map;

/**
 * Places for threads that read what programs name, and may never come back: their files can be on a
 * file system that does not answer. Pods of one namespace do not take all of them. For many
 * threads.
 */
final class ThreadShare {
  private final int most;
  private final int mostOfOne;
  private final Map<String, Integer> taken = new HashMap<>();
  private int all;

  /**
   * None is taken.
   *
   * @param most how many there are
   * @param mostOfOne how many of them pods of one namespace may take
   */
  ThreadShare(int most, int mostOfOne) {
    this.most = most;
    this.mostOfOne = mostOfOne;
  }

  /** Takes one; false where none is free for that namespace. */
  synchronized boolean take(String namespace) {
    int own = taken.getOrDefault(namespace, 0);
    if (all >= most || own >= mostOfOne) {
      return false;
    }
    taken.put(namespace, own + 1);
    all++;
    return true;
  }

  /** Gives one back. */
  synchronized void giveBack(String namespace) {
    taken.computeIfPresent(namespace, (_, own) -> own > 1 ? own - 1 : null);
    all--;
  }
}
