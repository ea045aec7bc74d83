package dev.rekindle.detect.pickle;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The values that a pickle refers to by their number. */
final class PickleMemo {
  private static final Object NONE = new Object();

  private final int most;
  private @Nullable Object[] values = new @Nullable Object[1024];
  private int size;

  PickleMemo(int most) {
    this.most = most;
  }

  int size() {
    return size;
  }

  void put(int index, @Nullable Object value) throws PickleException {
    // Writers count up from 0; anything far beyond is there to make us allocate.
    if (index < 0 || index > 2L * size + 1024) {
      throw new PickleException("memo " + Integer.toUnsignedString(index) + " out of turn");
    }
    if (index >= most) {
      throw new PickleException("more than " + most + " values in the memo");
    }
    if (index >= values.length) {
      values = Arrays.copyOf(values, Math.max(index + 1, (int) Math.min(most, 2L * values.length)));
    }
    values[index] = value == null ? NONE : value;
    size++;
  }

  @Nullable Object get(int index) throws PickleException {
    var value = index >= 0 && index < values.length ? values[index] : null;
    if (value == null) {
      throw new PickleException("memo " + Integer.toUnsignedString(index) + " was never written");
    }
    return NONE.equals(value) ? null : value;
  }
}
