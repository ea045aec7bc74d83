package dev.rekindle.detect.progress;

/** A group that is open, or the whole. */
final class ExpressionGroup {
  /** What is larger is not counted further. */
  static final long OUT_OF_BOUNDS = 1_000_000_000L;

  private final boolean captures;
  // Room for the instruction of an empty alternative.
  private long size = 1;
  private long last;
  private boolean repeatable;

  ExpressionGroup(boolean captures) {
    this.captures = captures;
  }

  /** Takes what comes next, of so many instructions. */
  void add(long atom) {
    size += last;
    last = atom;
    repeatable = true;
  }

  /** Nothing that can be repeated comes next. */
  void end() {
    add(0);
    repeatable = false;
  }

  /** An alternative ends. */
  void bar() {
    end();
    size += 2;
  }

  /** Repeats what came last. */
  void repeat(int times) {
    last = Math.min(OUT_OF_BOUNDS, (last + 1) * times + 2);
    repeatable = false;
  }

  /** No fewer instructions than it compiles to. */
  long size() {
    return Math.min(OUT_OF_BOUNDS, size + last + (captures ? 2 : 0));
  }

  /** Whether what came last can be repeated. */
  boolean isRepeatable() {
    return repeatable;
  }

  /** A brace that stands for itself: to RE2/J it is no better than a repeat. */
  void addUnrepeatable() {
    add(1);
    repeatable = false;
  }
}
