package dev.rekindle.controller.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AsyncEventRecorderTest {
  private final AsyncEventRecorder eventRecorder = new AsyncEventRecorder(3);
  private final List<String> written = Collections.synchronizedList(new ArrayList<>());
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);

  @AfterEach
  void tearDown() {
    goOn.countDown();
    eventRecorder.close();
  }

  /** The first takes until it is let go on; the caller comes back while it is under way. */
  private void holdUp() throws InterruptedException {
    eventRecorder.execute(
        () -> {
          begun.countDown();
          await();
          written.add("first");
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
  void shouldBlockNoCallerAndRecordInOrder() throws InterruptedException {
    holdUp();
    eventRecorder.execute(() -> written.add("second"));
    eventRecorder.execute(() -> written.add("third"));
    assertThat(written).isEmpty();

    goOn.countDown();
    eventRecorder.close();
    assertThat(written).containsExactly("first", "second", "third");
  }

  @Test
  void shouldLeaveOutWhatIsTooMuchAndRecordTheRest() throws InterruptedException {
    holdUp();
    List.of("second", "third", "fourth", "too much")
        .forEach(what -> eventRecorder.execute(() -> written.add(what)));

    goOn.countDown();
    eventRecorder.close();
    assertThat(written).containsExactly("first", "second", "third", "fourth");
  }

  @Test
  void shouldRecordNothingMoreOnceItIsClosed() {
    eventRecorder.close();
    eventRecorder.execute(() -> written.add("late"));
    eventRecorder.close();
    assertThat(written).isEmpty();
  }
}
