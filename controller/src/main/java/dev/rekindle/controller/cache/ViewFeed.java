package dev.rekindle.controller.cache;

import org.jspecify.annotations.Nullable;

/**
 * Where the flat views of one kind are delivered, in any order of resource versions: an older view
 * never replaces a newer one.
 */
public interface ViewFeed<V> {
  /** The object is there, in this version or a newer one. */
  void present(String key, @Nullable String resourceVersion, V view);

  /** The object is gone, as of that version. */
  void gone(String key, @Nullable String resourceVersion);
}
