package dev.rekindle.controller.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RepeatedTest {
  private static final List<Throwable> THROWN =
      List.of(
          new IllegalStateException("thrown by the test"),
          new StackOverflowError("thrown by the test"),
          new NoClassDefFoundError("thrown by the test"));

  private static void raise(Throwable thrown) {
    if (thrown instanceof Error error) {
      throw error;
    }
    throw (RuntimeException) thrown;
  }

  @Test
  void shouldGoOnWhateverARunThrows() throws InterruptedException {
    CountDownLatch runs = new CountDownLatch(THROWN.size() + 1);
    try (ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor()) {
      var _ =
          timer.scheduleWithFixedDelay(
              new Repeated(
                  "test",
                  () -> {
                    int run = THROWN.size() + 1 - (int) runs.getCount();
                    runs.countDown();
                    if (run < THROWN.size()) {
                      raise(THROWN.get(run));
                    }
                  }),
              0,
              1,
              TimeUnit.MILLISECONDS);
      assertThat(runs.await(30, TimeUnit.SECONDS)).isTrue();
      timer.shutdownNow();
    }
  }

  @Test
  void shouldHandOnWhatIsOfTheVirtualMachineItself() {
    List<Throwable> ended = new ArrayList<>();
    Thread thread = Thread.currentThread();
    thread.setUncaughtExceptionHandler((_, thrown) -> ended.add(thrown));
    Error full = new OutOfMemoryError("thrown by the test");
    Error broken = new InternalError("thrown by the test");
    try {
      for (Throwable thrown : List.of(THROWN.get(0), full, THROWN.get(1), broken, THROWN.get(2))) {
        new Repeated("test", () -> raise(thrown)).run();
      }
    } finally {
      thread.setUncaughtExceptionHandler(null);
    }
    assertThat(ended).containsExactly(full, broken);
  }
}
