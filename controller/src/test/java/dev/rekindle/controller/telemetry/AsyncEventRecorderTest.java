package dev.rekindle.controller.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AsyncEventRecorderTest {
  private final AsyncEventRecorder announcer = new AsyncEventRecorder(3);
  private final List<String> told = Collections.synchronizedList(new ArrayList<>());
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);

  @AfterEach
  void tearDown() {
    goOn.countDown();
    announcer.close();
  }

  /** The first takes until it is let go on; the caller comes back while it is under way. */
  private void holdUp() throws InterruptedException {
    announcer.execute(
        () -> {
          begun.countDown();
          await();
          told.add("first");
        });
    begun.await();
  }

  private void await() {
    try {
      goOn.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void shouldHoldNobodyUpAndTellInOrder() throws InterruptedException {
    holdUp();
    announcer.execute(() -> told.add("second"));
    announcer.execute(() -> told.add("third"));
    assertThat(told).isEmpty();

    goOn.countDown();
    announcer.close();
    assertThat(told).containsExactly("first", "second", "third");
  }

  @Test
  void shouldLeaveOutWhatIsTooMuchAndTellTheRest() throws InterruptedException {
    holdUp();
    List.of("second", "third", "fourth", "too much")
        .forEach(what -> announcer.execute(() -> told.add(what)));

    goOn.countDown();
    announcer.close();
    assertThat(told).containsExactly("first", "second", "third", "fourth");
  }

  @Test
  void shouldTellNothingMoreOnceItIsClosed() {
    announcer.close();
    announcer.execute(() -> told.add("late"));
    announcer.close();
    assertThat(told).isEmpty();
  }
}
