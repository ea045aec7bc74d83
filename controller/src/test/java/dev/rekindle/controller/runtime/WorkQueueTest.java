package dev.rekindle.controller.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.port.ClusterGateway.UnavailableException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** When a key is reconciled. */
class WorkQueueTest extends WorkQueueFixture {
  @Test
  void shouldReconcileOnceWhenAKeyIsAddedManyTimes() {
    for (int i = 0; i < 5; i++) {
      queue.add("a");
      queue.add("b");
    }
    drain(this::record);
    assertThat(reconciled).containsExactly("a", "b");
  }

  @Test
  void shouldSayWhatIsDueAndForHowLong() {
    assertThat(queue.backlog()).isEqualTo(WorkQueue.Backlog.NONE);
    queue.add("a");
    pass(Duration.ofSeconds(3));
    queue.add("b");
    assertThat(queue.backlog()).isEqualTo(new WorkQueue.Backlog(2, Duration.ofSeconds(3)));
    drain(_ -> Optional.of(Duration.ofMinutes(1)));
    assertThat(queue.backlog()).isEqualTo(WorkQueue.Backlog.NONE);
    pass(Duration.ofSeconds(70));
    assertThat(queue.backlog()).isEqualTo(new WorkQueue.Backlog(2, Duration.ofSeconds(10)));
  }

  @Test
  void shouldReconcileAgainWhenAKeyIsAddedMeanwhile() {
    queue.add("a");
    drain(
        key -> {
          if (reconciled.isEmpty()) {
            queue.add(key);
            queue.add(key);
          }
          return record(key);
        });
    assertThat(reconciled).containsExactly("a", "a");
  }

  @Test
  void shouldLeaveAKeyAloneThatIsToRestAndNoOther() {
    Reconciler<String> tiring =
        new Reconciler<>() {
          @Override
          public Optional<Duration> reconcile(String key) {
            return record(key);
          }

          @Override
          public Duration minInterval(String key) {
            return key.equals("big") ? Duration.ofMillis(80) : Duration.ZERO;
          }
        };
    queue.add("big");
    queue.add("small");
    drain(tiring);
    queue.add("big");
    queue.add("small");
    drain(tiring);
    assertThat(reconciled).containsExactly("big", "small", "small");
    assertThat(queue.next()).contains(clock.instant().plusMillis(80));
    pass(Duration.ofMillis(80));
    drain(tiring);
    assertThat(reconciled).containsExactly("big", "small", "small", "big");
    pass(Duration.ofSeconds(1));
    queue.add("big");
    drain(tiring);
    assertThat(reconciled).as("rested since").hasSize(5);
  }

  @Test
  void shouldReconcileAgainNoEarlierThanRequested() {
    queue.add("a");
    drain(
        key -> {
          reconciled.add(key);
          return Optional.of(Duration.ofSeconds(10));
        });
    pass(Duration.ofMillis(9_999));
    assertThat(drain(this::record)).isZero();
    pass(Duration.ofMillis(1));
    assertThat(drain(this::record)).isOne();
    pass(Duration.ofHours(1));
    assertThat(drain(this::record)).as("asked for nothing more").isZero();
  }

  @Test
  void shouldReconcileAtOnceWhenAWaitingKeyIsAdded() {
    queue.add("a");
    drain(_ -> Optional.of(Duration.ofHours(1)));
    queue.add("a");
    assertThat(drain(this::record)).isOne();
    pass(Duration.ofHours(2));
    assertThat(drain(this::record)).as("the earlier date is forgotten").isZero();
  }

  @Test
  void shouldBackOffLongerAndLongerWhileReconcilesFail() {
    queue.add("a");
    List<Long> waits = new ArrayList<>();
    assertThat(queue.step(WorkQueueTest::broken)).isTrue();
    for (int failure = 1; failure <= 12; failure++) {
      Instant failed = now;
      do {
        pass(Duration.ofMillis(10));
      } while (!queue.step(WorkQueueTest::broken));
      waits.add(Duration.between(failed, now).toMillis());
    }
    assertThat(waits.getFirst()).isBetween(100L, 210L);
    assertThat(waits.get(4)).isBetween(1_600L, 3_210L);
    assertThat(waits.getLast()).isBetween(15_000L, 30_010L);
  }

  private static Optional<Duration> broken(String key) {
    throw new IllegalStateException("cannot look at " + key);
  }

  @Test
  void shouldNotCountAStaleReconcileAsFailed() {
    queue.add("a");
    for (int i = 0; i < 50; i++) {
      assertThat(
              queue.step(
                  _ -> {
                    throw new StaleException("changed");
                  }))
          .as("reconcile %d", i)
          .isTrue();
      assertThat(queue.step(this::record)).as("not in a tight loop").isFalse();
      pass(Duration.ofMillis(100));
    }
  }

  @Test
  void shouldReconcileLessOftenWhatChangesDuringEachReconcile() {
    queue.add("a");
    for (int i = 0; i < 600; i++) {
      drain(
          key -> {
            reconciled.add(key);
            throw new StaleException("changed");
          });
      pass(Duration.ofSeconds(1));
    }
    assertThat(reconciled).as("reconciles within ten minutes").hasSizeBetween(100, 200);
  }

  @Test
  void shouldNotAskBeforeTheApiServerWants() {
    queue.add("a");
    queue.step(
        _ -> {
          throw new UnavailableException(429, "later", Duration.ofSeconds(7));
        });
    pass(Duration.ofMillis(6_999));
    assertThat(queue.step(this::record)).isFalse();
    pass(Duration.ofMillis(1));
    assertThat(queue.step(this::record)).isTrue();
  }
}
