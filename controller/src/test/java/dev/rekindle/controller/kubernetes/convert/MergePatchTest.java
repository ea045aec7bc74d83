package dev.rekindle.controller.kubernetes.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MergePatchTest {
  @Test
  void shouldTurnOneObjectIntoTheOtherWhateverTheyHold() {
    for (int seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      Map<String, @Nullable Object> before = object(random, 3);
      Map<String, @Nullable Object> after = object(random, 3);
      Map<String, @Nullable Object> untouched = JsonTree.copy(before);
      Map<String, @Nullable Object> patch = MergePatch.between(before, after);
      assertThat(applied(before, patch)).as("seed %d", seed).isEqualTo(after);
      assertThat(before).as("seed %d", seed).isEqualTo(untouched);
      assertThat(MergePatch.between(before, before)).isEmpty();
    }
  }

  /** RFC 7396, section 2, as written there. */
  static Map<String, @Nullable Object> applied(
      Map<String, @Nullable Object> target, Map<String, @Nullable Object> patch) {
    Map<String, @Nullable Object> result = new LinkedHashMap<>(target);
    patch.forEach(
        (key, value) -> {
          if (value == null) {
            result.remove(key);
          } else if (value instanceof Map<?, ?>) {
            Object former = result.get(key);
            Map<String, @Nullable Object> base =
                former instanceof Map<?, ?> ? JsonTree.cast(former) : new LinkedHashMap<>();
            result.put(key, applied(base, JsonTree.cast(value)));
          } else {
            result.put(key, value);
          }
        });
    return result;
  }

  private static Map<String, @Nullable Object> object(Random random, int depth) {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      map.put("k" + random.nextInt(4), value(random, depth));
    }
    return map;
  }

  private static Object value(Random random, int depth) {
    return switch (depth == 0 ? 0 : random.nextInt(4)) {
      case 0 -> random.nextInt(3);
      case 1 -> "text" + random.nextInt(3);
      case 2 -> object(random, depth - 1);
      default -> new ArrayList<>(List.of(random.nextInt(3), object(random, depth - 1)));
    };
  }
}
