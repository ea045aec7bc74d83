package dev.rekindle.controller.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.SteadyClock;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** What workers do beside each other. */
class WorkQueueWorkersTest extends WorkQueueFixture {
  @Test
  void shouldContinueWithOtherKeysWhenOneFails() {
    queue.add("bad");
    queue.add("good");
    drain(
        key -> {
          if (key.equals("bad")) {
            throw new StackOverflowError("deep");
          }
          return record(key);
        });
    assertThat(reconciled).containsExactly("good");
  }

  /** A worker that ends on the way would take its key along, and the others one after another. */
  @Test
  void shouldWorkOnWhenTheIntervalIsNotKnown() throws InterruptedException {
    Semaphore ended = new Semaphore(0);
    queue.start(
        2,
        new Reconciler<>() {
          @Override
          public Optional<Duration> reconcile(String key) {
            ended.release();
            return Optional.empty();
          }

          @Override
          public Duration minInterval(String key) {
            return switch (key) {
              case "bad" -> throw new IllegalStateException("thrown by the test");
              case "never" -> Duration.ofSeconds(Long.MAX_VALUE);
              default -> Duration.ZERO;
            };
          }
        });
    for (String key : List.of("bad", "never", "a", "bad", "b")) {
      queue.add(key);
      assertThat(ended.tryAcquire(10, TimeUnit.SECONDS)).as(key).isTrue();
    }
    assertThat(queue.alive()).isTrue();
    queue.close();
  }

  @Test
  void shouldNeverReconcileOneKeyTwiceAtOnceWhenManyWorkersRun() throws InterruptedException {
    WorkQueue<Integer> real =
        new WorkQueue<>(
            "real",
            new Backoff(Duration.ofMillis(1), Duration.ofMillis(2), new Random(1)),
            SteadyClock.system());
    int keys = 5;
    int rounds = 200;
    AtomicInteger[] inside = new AtomicInteger[keys];
    AtomicInteger overlaps = new AtomicInteger();
    CountDownLatch reconciled = new CountDownLatch(rounds);
    for (int i = 0; i < keys; i++) {
      inside[i] = new AtomicInteger();
    }
    real.start(
        8,
        key -> {
          if (inside[key].incrementAndGet() > 1) {
            overlaps.incrementAndGet();
          }
          LockSupport.parkNanos(10_000);
          inside[key].decrementAndGet();
          reconciled.countDown();
          return Optional.of(Duration.ZERO);
        });
    for (int i = 0; i < 1_000; i++) {
      real.add(i % keys);
    }
    assertThat(reconciled.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(real.alive()).isTrue();
    real.close();
    assertThat(overlaps).hasValue(0);
  }

  /** Times come from clocks of nodes, and from forged reports. */
  @Test
  void shouldWorkOnWhenAKeyIsDueInThousandsOfYears() throws InterruptedException {
    Semaphore ended = new Semaphore(0);
    queue.start(
        2,
        key -> {
          ended.release();
          return switch (key) {
            case "far" -> Optional.of(Duration.ofDays(3_000_000));
            case "never" -> Optional.of(Duration.ofSeconds(Long.MAX_VALUE));
            default -> Optional.empty();
          };
        });
    for (String key : List.of("far", "never", "a", "b", "c", "d", "e")) {
      queue.add(key);
      assertThat(ended.tryAcquire(10, TimeUnit.SECONDS)).as(key).isTrue();
    }
    assertThat(queue.alive()).isTrue();
    queue.close();
  }

  @Test
  void shouldReconcileAKeyThatIsDueInThousandsOfYearsOnceADay() {
    queue.add("far");
    Reconciler<String> far =
        key -> {
          var _ = record(key);
          return Optional.of(Duration.ofDays(3_000_000));
        };
    assertThat(drain(far)).isEqualTo(1);
    pass(Duration.ofHours(23));
    assertThat(drain(far)).isZero();
    pass(Duration.ofHours(1));
    assertThat(drain(far)).isEqualTo(1);
  }

  @Test
  void shouldBeAliveAsLongAsTheCallsOfAReconcileEnd() throws InterruptedException {
    Semaphore calls = new Semaphore(0);
    Semaphore ended = new Semaphore(0);
    ParallelExecutor sideBySide = ParallelExecutor.onVirtualThreads(4);
    queue.start(
        1,
        _ -> {
          sideBySide.run(
              Collections.nCopies(
                  100,
                  () -> {
                    calls.acquireUninterruptibly();
                    Heartbeat.beat();
                    ended.release();
                  }));
          return Optional.empty();
        });
    queue.add("a");
    for (int minute = 0; minute < 60; minute++) {
      pass(Duration.ofMinutes(1));
      calls.release();
      assertThat(ended.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
      assertThat(queue.alive()).as("minute %d", minute).isTrue();
    }
    pass(Duration.ofMinutes(6));
    assertThat(queue.alive()).as("a call hangs").isFalse();
    calls.release(100);
    queue.close();
  }

  @Test
  void shouldNotBeAliveWhenAReconcileHangs() throws InterruptedException {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    queue.start(
        1,
        _ -> {
          started.countDown();
          try {
            release.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
          return Optional.empty();
        });
    queue.add("a");
    assertThat(started.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(queue.alive()).isTrue();
    pass(Duration.ofMinutes(6));
    assertThat(queue.alive()).isFalse();
    release.countDown();
    queue.close();
  }
}
