package dev.rekindle.simulator.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.simulator.chaos.SeedRun.Outcome;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WorkerPoolTest {
  private static final Violation BROKEN = new Violation(Invariant.ENDS, Instant.EPOCH, "stuck");

  private final Set<Long> begun = new ConcurrentSkipListSet<>();
  private final AtomicReference<Tally> reported = new AtomicReference<>(Tally.NONE);

  private static Outcome held(long seed) {
    return new Outcome(
        seed,
        Optional.empty(),
        Optional.empty(),
        2,
        Map.of(FaultArea.GPU, 2),
        Map.of(Disturbance.AGENT_REFUSED, 1),
        Map.of(),
        Map.of("phase/Draining", 3L),
        0);
  }

  private static Outcome broke(long seed) {
    return new Outcome(
        seed,
        Optional.of(BROKEN),
        Optional.empty(),
        0,
        Map.of(FaultArea.GPU, 1),
        Map.of(),
        Map.of(),
        Map.of(),
        0);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException stop) {
      throw new IllegalStateException(stop);
    }
  }

  private static void awaitEnd(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException stop) {
      throw new IllegalStateException(stop);
    }
  }

  @Test
  void shouldRunEachSeedOnceAndSumThemUp() throws InterruptedException {
    Map<Long, Integer> times = new ConcurrentHashMap<>();
    WorkerPool crew =
        new WorkerPool(
            seed -> {
              times.merge(seed, 1, Integer::sum);
              return held(seed);
            },
            reported::set,
            100,
            -20);

    crew.run(3);

    assertThat(times.keySet())
        .containsExactlyInAnyOrderElementsOf(LongStream.range(-20, 80).boxed().toList());
    assertThat(times.values()).containsOnly(1);
    assertThat(crew.sum())
        .isEqualTo(
            new Tally(
                100,
                200,
                300,
                Map.of(FaultArea.GPU, 200),
                Map.of(Disturbance.AGENT_REFUSED, 100),
                Map.of(),
                Map.of("phase/Draining", 300L)))
        .isEqualTo(reported.get());
    assertThat(crew.bad()).isEmpty();
  }

  @Test
  void shouldBeginNoOtherSeedOnceTheTimeIsOver() throws InterruptedException {
    WorkerPool crew =
        new WorkerPool(
            WorkerPoolTest::held, reported::set, 100, 0, _ -> reported.get().seeds() < 7);

    crew.run(1);

    assertThat(crew.sum().seeds()).isEqualTo(7);
    assertThat(crew.bad()).isEmpty();
  }

  @Test
  void shouldRunSoManyAtATime() throws InterruptedException {
    CyclicBarrier together = new CyclicBarrier(2);
    WorkerPool crew =
        new WorkerPool(
            seed -> {
              try {
                together.await();
              } catch (Exception broken) {
                throw new IllegalStateException(broken);
              }
              return held(seed);
            },
            reported::set,
            10,
            0);

    crew.run(2);

    assertThat(crew.sum().seeds()).isEqualTo(10);
  }

  @Test
  void shouldBeginNoOtherSeedOnceOneIsBad() throws InterruptedException {
    WorkerPool crew =
        new WorkerPool(
            seed -> {
              begun.add(seed);
              return seed == 4 ? broke(seed) : held(seed);
            },
            reported::set,
            1_000,
            0);

    crew.run(1);

    assertThat(begun).containsExactly(0L, 1L, 2L, 3L, 4L);
    assertThat(crew.bad()).contains(broke(4));
    assertThat(crew.sum().seeds()).isEqualTo(5);
  }

  /** The same seed is reported each time, whichever of two was the faster. */
  @Test
  void shouldReportTheFirstSeedThatIsBad() throws InterruptedException {
    CountDownLatch laterEnded = new CountDownLatch(1);
    WorkerPool crew =
        new WorkerPool(
            seed -> {
              if (seed == 0) {
                await(laterEnded);
              }
              return broke(seed);
            },
            _ -> laterEnded.countDown(),
            1_000,
            0);

    crew.run(2);

    assertThat(crew.sum().seeds()).isEqualTo(2);
    assertThat(crew.bad()).contains(broke(0));
  }

  @Test
  void shouldEndWhereTheSimulatorItselfFails() {
    CompletableFuture<Thread> failing = new CompletableFuture<>();
    CountDownLatch otherBegun = new CountDownLatch(1);
    WorkerPool crew =
        new WorkerPool(
            seed -> {
              begun.add(seed);
              if (seed == 7) {
                failing.complete(Thread.currentThread());
                await(otherBegun);
                throw new IllegalStateException("a bug of seed " + seed);
              }
              otherBegun.countDown();
              awaitEnd(failing.join());
              return held(seed);
            },
            reported::set,
            1_000,
            7);

    assertThatThrownBy(() -> crew.run(2)).hasStackTraceContaining("a bug of seed 7");
    assertThat(begun).containsExactly(7L, 8L);
  }
}
