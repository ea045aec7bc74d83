package dev.rekindle.watch;

/**
 * How many objects of a kind are requested at a time. Fewer once {@link BoundedLists} has ended a
 * page: what others store decides how large objects are. For many threads.
 */
public final class PageSize {
  private static final long MOST = 500;
  private static final int DIVISOR = 5;

  private long size;

  private PageSize(long size) {
    this.size = size;
  }

  /** Pages of a size that suits usual objects. */
  public static PageSize usual() {
    return new PageSize(MOST);
  }

  /** All at once, as long as they are few: such a list costs the API server less. */
  public static PageSize allAtOnce() {
    return new PageSize(0);
  }

  /** Objects of a page; zero for all. */
  public synchronized long now() {
    return size;
  }

  /**
   * Takes note of why a list has failed.
   *
   * @return whether its pages were too large: to be listed again at once, by smaller ones
   */
  public synchronized boolean shrink(Throwable failure) {
    boolean tooLarge = BoundedLists.hasEnded(failure);
    if (tooLarge) {
      size = size == 0 || size > MOST ? MOST / DIVISOR : Math.max(1, size / DIVISOR);
    }
    return tooLarge;
  }
}
