package dev.rekindle.detect.flightrecorder;

import dev.rekindle.detect.pickle.Pickle;
import dev.rekindle.detect.pickle.PickleBounds;
import dev.rekindle.detect.pickle.PickleException;
import dev.rekindle.detect.pickle.PickleInput;
import dev.rekindle.detect.pickle.PickleValues;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The part of the pickle format that holds data: dictionaries, lists, tuples, text, numbers. An
 * opcode that names a class or calls something is refused, as is a number of objects that no dump
 * has.
 */
final class PlainPickle implements PickleValues {
  private PlainPickle() {}

  /**
   * Reads one value, up to its STOP.
   *
   * @param mostObjects most values in it
   * @return a map with keys of text or number, a list, a text, a Long, a Double, a Boolean, or null
   * @throws DumpException when it is cut off, or has what no dump has
   */
  static @Nullable Object read(byte[] bytes, int mostObjects) throws DumpException {
    try {
      return Pickle.read(
          PickleInput.of(bytes), new PlainPickle(), PickleBounds.objects(mostObjects));
    } catch (IOException e) {
      throw new DumpException(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public boolean takesObjects() {
    return false;
  }

  @Override
  public Object dictionary(@Nullable Object below) {
    return new HashMap<Object, @Nullable Object>();
  }

  @Override
  public Object list() {
    return new ArrayList<@Nullable Object>();
  }

  @Override
  public Object tuple(List<@Nullable Object> values) {
    return new ArrayList<>(values);
  }

  @Override
  @SuppressWarnings("unchecked")
  public void append(@Nullable Object list, List<@Nullable Object> values) throws PickleException {
    if (!(list instanceof ArrayList<?>)) {
      throw new PickleException("appends to what is no list");
    }
    ((ArrayList<@Nullable Object>) list).addAll(values);
  }

  @Override
  @SuppressWarnings("unchecked")
  public void put(@Nullable Object dictionary, @Nullable Object key, @Nullable Object value)
      throws PickleException {
    if (!(dictionary instanceof Map<?, ?>)) {
      throw new PickleException("sets a key of what is no map");
    }
    // The hash of a list that contains itself has no end.
    if (!(key instanceof String || key instanceof Long)) {
      throw new PickleException("a key that is neither text nor number");
    }
    ((Map<Object, @Nullable Object>) dictionary).put(key, value);
  }
}
