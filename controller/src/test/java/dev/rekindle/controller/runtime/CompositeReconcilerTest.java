package dev.rekindle.controller.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CompositeReconcilerTest {
  private final List<String> reconciled = new ArrayList<>();

  private Reconciler<String> again(Duration after) {
    return key -> {
      reconciled.add(key);
      return Optional.of(after);
    };
  }

  @Test
  void shouldReconcileAgainWhenTheFirstOfThemIsDue() {
    CompositeReconciler<String> both =
        new CompositeReconciler<>(
            List.of(
                again(Duration.ofSeconds(9)), again(Duration.ofSeconds(3)), _ -> Optional.empty()));

    assertThat(both.reconcile("n1")).contains(Duration.ofSeconds(3));
    assertThat(reconciled).containsExactly("n1", "n1");
  }

  @Test
  void shouldRestAsLongAsTheMostTiredOfThem() {
    Reconciler<String> tired =
        new Reconciler<>() {
          @Override
          public Optional<Duration> reconcile(String key) {
            return Optional.empty();
          }

          @Override
          public Duration minInterval(String key) {
            return Duration.ofSeconds(key.length());
          }
        };
    CompositeReconciler<String> both =
        new CompositeReconciler<>(List.of(again(Duration.ofSeconds(9)), tired));

    assertThat(both.minInterval("n1")).isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void shouldRunTheNextReconcilerWhenOneFails() {
    IllegalStateException first = new IllegalStateException("first");
    IllegalStateException second = new IllegalStateException("second");
    CompositeReconciler<String> all =
        new CompositeReconciler<>(
            List.of(
                _ -> {
                  throw first;
                },
                again(Duration.ofSeconds(3)),
                _ -> {
                  throw second;
                }));

    assertThatThrownBy(() -> all.reconcile("n1")).isSameAs(first).hasSuppressedException(second);
    assertThat(reconciled).containsExactly("n1");
  }
}
