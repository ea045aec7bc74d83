package dev.rekindle.controller.kubernetes.convert;

import dev.rekindle.detect.ApiTime;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** When objects were written. */
public final class Times {
  private Times() {}

  /** When an object was last written, by the clock of the API server, or null when unknown. */
  public static @Nullable Instant written(ObjectMeta meta) {
    Instant written = null;
    for (ManagedFieldsEntry entry : meta.getManagedFields()) {
      written = later(written, ApiTime.parse(entry.getTime()));
    }
    return written;
  }

  /**
   * When the writer of an annotation wrote the object last, by the clock of the API server; null
   * when unknown. A write that changes nothing does not count there.
   */
  static @Nullable Instant annotated(ObjectMeta meta, String annotation) {
    Instant written = null;
    for (ManagedFieldsEntry entry : meta.getManagedFields()) {
      if (entry.getFieldsV1() != null
          && entry.getFieldsV1().getAdditionalProperties().get("f:metadata") instanceof Map<?, ?> of
          && of.get("f:annotations") instanceof Map<?, ?> annotations
          && annotations.containsKey("f:" + annotation)) {
        written = later(written, ApiTime.parse(entry.getTime()));
      }
    }
    return written;
  }

  /** The later of the two. */
  static @Nullable Instant later(@Nullable Instant one, @Nullable Instant other) {
    if (one == null) {
      return other;
    }
    return other == null || one.isAfter(other) ? one : other;
  }
}
