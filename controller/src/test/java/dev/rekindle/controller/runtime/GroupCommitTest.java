package dev.rekindle.controller.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class GroupCommitTest {
  private final List<List<Integer>> writes = Collections.synchronizedList(new ArrayList<>());

  private GroupCommit<Integer, String> commit(
      Function<List<Integer>, List<String>> write, int most) {
    return new GroupCommit<>(
        asked -> {
          writes.add(asked);
          return write.apply(asked);
        },
        GroupCommit::threadSeat,
        most);
  }

  /** A seat that says when somebody has sat down on it: who waits is in the queue. */
  private static GroupCommit.Seat counted(GroupCommit.Seat seat, CountDownLatch waiting) {
    return new GroupCommit.Seat() {
      @Override
      public void await() {
        waiting.countDown();
        seat.await();
      }

      @Override
      public void wake() {
        seat.wake();
      }
    };
  }

  private static List<String> answers(List<Integer> asked) {
    return asked.stream().map(q -> "a" + q).toList();
  }

  @Test
  void shouldWriteAtOnceForOneWhoIsAlone() {
    assertThat(commit(GroupCommitTest::answers, 10).ask(7)).isEqualTo("a7");
    assertThat(writes).containsExactly(List.of(7));
  }

  @Test
  void shouldWriteOnceForAllWhoCameMeanwhile() throws Exception {
    CountDownLatch first = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch wait = new CountDownLatch(15);
    GroupCommit<Integer, String> commit =
        new GroupCommit<>(
            questions -> {
              writes.add(questions);
              first.countDown();
              await(go);
              return answers(questions);
            },
            () -> counted(GroupCommit.threadSeat(), wait),
            10);
    try (ExecutorService all = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<String>> futures = new ArrayList<>();
      futures.add(all.submit(() -> commit.ask(0)));
      first.await();
      for (int i = 1; i <= 15; i++) {
        int question = i;
        futures.add(all.submit(() -> commit.ask(question)));
      }
      wait.await();
      go.countDown();
      for (int i = 0; i <= 15; i++) {
        assertThat(futures.get(i).get(60, TimeUnit.SECONDS)).isEqualTo("a" + i);
      }
    }
    assertThat(writes).hasSize(3);
    assertThat(writes.get(1)).as("never more than allowed").hasSize(10);
    assertThat(writes.get(2)).hasSize(5);
  }

  @Test
  void shouldThrowToAllWhatTheirWriteThrewAndContinueAfterIt() {
    AtomicInteger calls = new AtomicInteger();
    GroupCommit<Integer, String> commit =
        commit(
            asked -> {
              if (calls.incrementAndGet() == 1) {
                throw new IllegalStateException("lost");
              }
              return answers(asked);
            },
            10);

    assertThatThrownBy(() -> commit.ask(1)).hasMessage("lost");
    assertThat(commit.ask(2)).isEqualTo("a2");
  }

  @Test
  void shouldAnswerEachOfAThousandWithItsOwn() throws Exception {
    GroupCommit<Integer, String> commit = commit(GroupCommitTest::answers, 64);
    try (ExecutorService all = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<String>> callers = new ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        int question = i;
        callers.add(() -> commit.ask(question));
      }
      List<Future<String>> futures = all.invokeAll(callers);
      for (int i = 0; i < futures.size(); i++) {
        assertThat(futures.get(i).get()).isEqualTo("a" + i);
      }
    }
    assertThat(writes.stream().flatMap(List::stream)).hasSize(1_000).doesNotHaveDuplicates();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException stop) {
      throw new IllegalStateException(stop);
    }
  }
}
