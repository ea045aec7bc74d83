package dev.rekindle.detect.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RankEvidence.Frame;
import dev.rekindle.detect.evidence.PodStacks.Found;
import dev.rekindle.detect.python.MainStack;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PodStacksTest {
  private static final MainStack LOADS = in(new Frame("fetch", "dataset.py", 12), false);
  private static final MainStack TRAINS = in(new Frame("train", "train.py", 88), false);
  private static final MainStack COMPILES = in(new Frame("score", "scheduler.py", 9), true);

  private final Map<Long, MainStack> memory = new HashMap<>();
  private final List<Runnable> threads = new ArrayList<>();
  private final ThreadShare free = new ThreadShare(1, 0);
  private final List<RankProcess> ranks =
      IntStream.range(0, 2)
          .mapToObj(rank -> new RankProcess(rank, 2, 10 + rank, false, "", "", List.of(10L + rank)))
          .toList();

  private static MainStack in(Frame frame, boolean compiles) {
    return new MainStack(List.of(frame), compiles);
  }

  private PodStacks begin() {
    memory.put(10L, LOADS);
    memory.put(11L, TRAINS);
    return PodStacks.begin(
        pid -> memory.getOrDefault(pid, MainStack.UNKNOWN), ranks, threads::add, free, "team");
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
    assertThat(stacks.found()).isEqualTo(new Found(Map.of(0, LOADS.frames()), Set.of()));
  }

  /** A compiler moves, as it is at work: one sample in it is enough. */
  @Test
  void shouldSeeARankThatCompilesInEitherSample() {
    var stacks = begin();
    memory.put(10L, COMPILES);
    run();
    memory.put(10L, TRAINS);
    memory.put(11L, COMPILES);
    stacks.end();
    run();
    assertThat(stacks.found()).isEqualTo(new Found(Map.of(), Set.of(0, 1)));
  }

  @Test
  void shouldHaveNoneWhileAFileSystemDoesNotAnswer() {
    var stacks = begin();
    stacks.end();
    assertThat(threads).as("the second sample waits for the first").hasSize(1);
    assertThat(stacks.isDone()).isFalse();
    assertThat(stacks.found()).isEqualTo(Found.NOTHING);
  }

  @Test
  void shouldStartNoMoreThreadsThanThereArePlaces() {
    var stacks = begin();
    var another = begin();
    another.end();
    assertThat(threads).hasSize(1);
    assertThat(another.isDone()).isTrue();
    assertThat(another.found()).isEqualTo(Found.NOTHING);
    run();
    stacks.end();
    run();
    assertThat(stacks.found().standing()).hasSize(2);
    assertThat(free.take("team")).as("the place is free again").isTrue();
  }

  /** It is as long for the second, which may hang as well. */
  @Test
  void shouldHoldItsPlaceUntilTheSecondSampleIsTaken() {
    var stacks = begin();
    run();
    assertThat(free.take("team")).as("between the samples").isFalse();
    stacks.end();
    assertThat(free.take("team")).as("in the second").isFalse();
    run();
    assertThat(free.take("team")).isTrue();
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
            free,
            "team");
    stacks.end();
    assertThat(stacks.isDone()).isTrue();
    assertThat(stacks.found()).isEqualTo(Found.NOTHING);
    assertThat(free.take("team")).as("the place is free again").isTrue();
  }
}
