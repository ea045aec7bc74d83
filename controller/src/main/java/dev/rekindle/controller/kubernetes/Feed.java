package dev.rekindle.controller.kubernetes;

import io.fabric8.kubernetes.api.model.HasMetadata;

/** Where a watch delivers the objects of one kind. */
interface Feed<T extends HasMetadata> {
  /** The object is there, in this version or a newer one. */
  void present(T object);

  /** The object is gone. Of it only the metadata can be relied upon. */
  void gone(T object);
}
