package dev.rekindle.controller.fencing;

import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.model.FencedFor;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a node remembers of namespaces for which it was fenced. */
class FencedForTest {
  // --- what is written on the node ------------------------------------------------------------

  @Test
  void shouldRememberANamespaceForADay() {
    FencedFor one = FencedFor.NONE.and(T0, Set.of("a")).and(T0.plusSeconds(60), Set.of("b"));
    assertThat(one.format()).isEqualTo("%s a;%s b".formatted(T0, T0.plusSeconds(60)));
    assertThat(FencedFor.parse(one.format())).isEqualTo(one);
    assertThat(one.within(T0.plus(Duration.ofHours(23)))).containsExactlyInAnyOrder("a", "b");
    assertThat(one.within(T0.plus(FencedFor.WINDOW))).containsExactly("b");
    assertThat(one.within(T0.minus(Duration.ofDays(400)))).as("a clock far behind").isEmpty();
    assertThat(one.and(T0.plus(Duration.ofDays(2)), Set.of("c")).times()).containsOnlyKeys("c");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ";", "a", "yesterday a", "2026-11-22T00:00:00Z ", "\0 \0", "  ;; "})
  void shouldPassOverWhatMakesNoSense(String text) {
    assertThat(FencedFor.parse(text)).isEqualTo(FencedFor.NONE);
  }

  @Test
  void shouldStayOfBoundedSize() {
    FencedFor many = FencedFor.NONE;
    for (int i = 0; i < 100; i++) {
      many = many.and(T0.plusSeconds(i), Set.of("%063d".formatted(i)));
    }
    assertThat(many.format().length()).isLessThan(16 * 100);
    assertThat(FencedFor.parse(many.format())).isEqualTo(many);
    assertThat(many.within(T0.plusSeconds(99))).contains("%063d".formatted(99));
  }
}
