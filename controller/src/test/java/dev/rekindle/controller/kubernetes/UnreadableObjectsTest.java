package dev.rekindle.controller.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is thrown while an object is read. */
class UnreadableObjectsTest extends FlatStateFixture {
  private final Feed<Pod> pods = feeds.pods();

  /** A pod at whose reading that is thrown. */
  private static Pod broken(Error thrown) {
    Pod pod =
        new Pod() {
          private static final long serialVersionUID = 1;

          @Override
          public PodSpec getSpec() {
            throw thrown;
          }
        };
    pod.setMetadata(pod("broken", "n1", "Running", 1).getMetadata());
    return pod;
  }

  @Test
  void shouldCountAnObjectAsAbsentWhoseReadingEndsInAnError() {
    pods.present(pod("broken", "n1", "Running", 1));
    pods.present(broken(new StackOverflowError("thrown by the test")));
    assertThat(state.pods(JOB)).isEmpty();
    pods.present(broken(new NoClassDefFoundError("thrown by the test")));
    pods.present(pod("well", "n1", "Running", 2));
    assertThat(state.pods(JOB)).hasSize(1);
  }

  @Test
  void shouldNotTakeAVirtualMachineThatFailsForAnObjectThatCannotBeRead() {
    List<Throwable> ended = new ArrayList<>();
    Thread thread = Thread.currentThread();
    thread.setUncaughtExceptionHandler((_, thrown) -> ended.add(thrown));
    Error full = new OutOfMemoryError("unable to create native thread");
    try {
      pods.present(broken(full));
    } finally {
      thread.setUncaughtExceptionHandler(null);
    }
    assertThat(ended).containsExactly(full);
  }
}
