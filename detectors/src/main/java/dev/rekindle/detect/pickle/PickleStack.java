package dev.rekindle.detect.pickle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The stack of the machine, with its marks, within the bounds of a pickle. */
final class PickleStack {
  private static final int REFERENCES_OF_AN_OBJECT = 4;

  private final PickleBounds bounds;
  private final ArrayList<@Nullable Object> stack = new ArrayList<>();
  private int[] marks = new int[16];
  private int marked;
  private long objects;
  private long references;

  PickleStack(PickleBounds bounds) {
    this.bounds = bounds;
  }

  /** Pushes a new value. */
  void push(@Nullable Object value) throws PickleException {
    count();
    add(value);
  }

  /**
   * One that is there already takes no more than its place in another one. A dump of PyTorch has
   * the frames of all its stacks so, of which there may be a hundred to an entry.
   */
  void refer(@Nullable Object value) throws PickleException {
    if (++references % REFERENCES_OF_AN_OBJECT == 0) {
      count();
    }
    add(value);
  }

  private void add(@Nullable Object value) throws PickleException {
    if (stack.size() >= bounds.stack()) {
      throw new PickleException("more than " + bounds.stack() + " values on the stack");
    }
    stack.add(value);
  }

  /** Takes the top value, which must be above the last mark. */
  @Nullable Object pop() {
    if (marked > 0 && marks[marked - 1] >= stack.size()) {
      throw new IndexOutOfBoundsException();
    }
    return stack.remove(stack.size() - 1);
  }

  /** The top value. */
  @Nullable Object top() {
    return stack.get(stack.size() - 1);
  }

  /** Marks the place above the top value. */
  void mark() throws PickleException {
    count();
    if (marked >= bounds.stack()) {
      throw new PickleException("more than " + bounds.stack() + " marks");
    }
    if (marked == marks.length) {
      marks = Arrays.copyOf(marks, 2 * marked);
    }
    marks[marked++] = stack.size();
  }

  /** Takes the last mark: the index of the first value above it. */
  int unmark() {
    return marks[--marked];
  }

  /** Counts one object towards the bound. */
  void count() throws PickleException {
    if (++objects > bounds.objects()) {
      throw new PickleException("more than " + bounds.objects() + " objects");
    }
  }

  /** The values from that index on. */
  List<@Nullable Object> from(int at) throws PickleException {
    if (at > stack.size()) {
      throw new PickleException("takes what lies below its mark");
    }
    return stack.subList(at, stack.size());
  }

  int size() {
    return stack.size();
  }

  /** The value at that index, from the bottom. */
  @Nullable Object get(int index) {
    return stack.get(index);
  }
}
