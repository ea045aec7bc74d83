package dev.rekindle.detect.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RankEvidence.Frame;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PodStacksTest {
  private static final List<Frame> LOADS = List.of(new Frame("fetch", "dataset.py", 12));
  private static final List<Frame> TRAINS = List.of(new Frame("train", "train.py", 88));

  private final Map<Long, List<Frame>> memory = new HashMap<>();
  private final List<Runnable> threads = new ArrayList<>();
  private final Semaphore free = new Semaphore(1);
  private final List<RankProcess> ranks =
      IntStream.range(0, 2)
          .mapToObj(rank -> new RankProcess(rank, 2, 10 + rank, false, "", "", List.of(10L + rank)))
          .toList();

  private PodStacks begin() {
    memory.put(10L, LOADS);
    memory.put(11L, TRAINS);
    return PodStacks.begin(pid -> memory.getOrDefault(pid, List.of()), ranks, threads::add, free);
  }

  private void run() {
    threads.removeFirst().run();
  }

  @Test
  void shouldKeepTheStacksThatAreTheSameInBothSamples() {
    var stacks = begin();
    run();
    memory.put(11L, LOADS);
    assertThat(stacks.isDone()).isFalse();
    stacks.end();
    run();
    assertThat(stacks.isDone()).isTrue();
    assertThat(stacks.found()).isEqualTo(Map.of(0, LOADS));
  }

  @Test
  void shouldHaveNoneWhileAFileSystemDoesNotAnswer() {
    var stacks = begin();
    stacks.end();
    assertThat(threads).as("the second sample waits for the first").hasSize(1);
    assertThat(stacks.isDone()).isFalse();
    assertThat(stacks.found()).isEmpty();
  }

  @Test
  void shouldStartNoMoreThreadsThanThereArePlaces() {
    begin();
    var another = begin();
    assertThat(threads).hasSize(1);
    another.end();
    run();
    threads.forEach(Runnable::run);
    assertThat(another.found()).as("nothing was read at first").isEmpty();
    assertThat(free.availablePermits()).as("the place is free again").isEqualTo(1);
  }

  @Test
  void shouldHaveNoneWhereTheReaderFails() {
    var stacks =
        PodStacks.begin(
            _ -> {
              throw new IllegalStateException("torn");
            },
            ranks,
            Runnable::run,
            free);
    stacks.end();
    assertThat(stacks.isDone()).isTrue();
    assertThat(stacks.found()).isEmpty();
  }
}
