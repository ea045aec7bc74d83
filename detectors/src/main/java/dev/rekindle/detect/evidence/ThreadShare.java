package dev.rekindle.detect.evidence;

import java.util.HashMap;
import java.util.Map;

/**
 * Places for threads that read what programs name, and may never come back: their files can be on a
 * file system that does not answer. A place that was lost so cannot be taken back, so each
 * namespace leaves as many to others as it takes, and some are kept for those that have none. For
 * many threads.
 */
final class ThreadShare {
  private final int most;
  private final int kept;
  private final Map<String, Integer> taken = new HashMap<>();
  private int all;

  /**
   * None is taken. Of the places that are not kept, a namespace may take half of what others have
   * left.
   *
   * @param most how many there are
   * @param kept how many of them are for namespaces that have taken none
   */
  ThreadShare(int most, int kept) {
    this.most = most;
    this.kept = kept;
  }

  /** Takes one; false where none is free for that namespace. */
  synchronized boolean take(String namespace) {
    int own = taken.getOrDefault(namespace, 0);
    int free = most - all;
    if (own == 0 ? free == 0 : free - kept <= own) {
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
