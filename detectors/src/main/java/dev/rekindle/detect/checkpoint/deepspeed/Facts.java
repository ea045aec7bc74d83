package dev.rekindle.detect.checkpoint.deepspeed;

import dev.rekindle.detect.pickle.PickleValues;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Of a pickle keeps, of every dictionary, the few entries that say how many ranks there are. */
final class Facts implements PickleValues {
  private static final Set<String> KEPT = Set.of("dp_world_size", "mp_world_size", "optimizer");

  /** Stands for whatever is no number: an object, a list. */
  private static final Object OTHER = new Object();

  @Override
  public boolean takesObjects() {
    return true;
  }

  @Override
  public @Nullable Object dictionary(@Nullable Object below) {
    return new HashMap<String, @Nullable Object>(4);
  }

  @Override
  public @Nullable Object list() {
    return OTHER;
  }

  @Override
  public @Nullable Object tuple(List<@Nullable Object> values) {
    return OTHER;
  }

  @Override
  public void append(@Nullable Object list, List<@Nullable Object> values) {}

  @Override
  @SuppressWarnings("unchecked")
  public void put(@Nullable Object dictionary, @Nullable Object key, @Nullable Object value) {
    if (dictionary instanceof Map<?, ?> map && key instanceof String name && KEPT.contains(name)) {
      ((Map<String, @Nullable Object>) map).put(name, value instanceof Map ? OTHER : value);
    }
  }

  @Override
  public @Nullable Object made(@Nullable Object callable, @Nullable Object arguments) {
    return OTHER;
  }
}
