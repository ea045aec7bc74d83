package dev.rekindle.detect.pickle;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is made of the values of a pickle. Numbers and truth values are Long, Double and Boolean,
 * texts are String; everything else is what these methods make of it.
 */
public interface PickleValues {
  /**
   * Whether names of classes, calls of them and states are taken, as names: they are never resolved
   * or executed. Where not, a pickle that has any is refused.
   */
  boolean takesObjects();

  /**
   * An empty dictionary.
   *
   * @param below what was made just before it and waits: an object, where this is its state
   */
  @Nullable Object dictionary(@Nullable Object below);

  /** An empty list or set. */
  @Nullable Object list();

  /** A tuple; the values are only lent. */
  @Nullable Object tuple(List<@Nullable Object> values);

  /**
   * Appends to a list; the values are only lent.
   *
   * @throws PickleException when it is no list
   */
  void append(@Nullable Object list, List<@Nullable Object> values) throws PickleException;

  /**
   * Puts an entry into a dictionary.
   *
   * @throws PickleException when it is none, or the key is none
   */
  void put(@Nullable Object dictionary, @Nullable Object key, @Nullable Object value)
      throws PickleException;

  /** The name of a class or a function. */
  default @Nullable Object global(String module, String name) {
    return null;
  }

  /** What a class or a function would make of its arguments. */
  default @Nullable Object made(@Nullable Object callable, @Nullable Object arguments) {
    return null;
  }

  /**
   * An object gets its state.
   *
   * @throws PickleException when it is not the state that such an object has
   */
  default void build(@Nullable Object object, @Nullable Object state) throws PickleException {}
}
