package dev.rekindle.detect.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which lines count the steps, where several kinds move. */
class SeriesTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private final ProgressTracker tracker = new ProgressTracker();
  private int second;

  private void print(String line) {
    second++;
    LineReader.read(line).ifPresent(reading -> tracker.take(START.plusSeconds(second), reading));
  }

  private void bar(String name, long from, long to, long total) {
    for (long i = from; i <= to; i++) {
      print("%s 12%%|█▏ | %d/%d [00:32<03:55,  3.73it/s]".formatted(name, i, total));
    }
  }

  private @Nullable Long step() {
    return tracker.progress().lastStep();
  }

  @Test
  void shouldBelieveALineAtOnceAndABarAfterAFewMoves() {
    bar("", 1, 2, 1000);
    assertThat(step()).isNull();
    bar("", 3, 3, 1000);
    assertThat(step()).isEqualTo(3);
    tracker.run(1);
    print("step 7");
    assertThat(step()).isEqualTo(7);
  }

  @Test
  void shouldTakeABarForAnotherThingForASignOfLifeOnly() {
    bar("", 1, 500, 1000);
    long signs = tracker.signs();
    bar("", 1, 200, 201);
    bar("Evaluating: ", 1, 50, 60);
    assertThat(step()).isEqualTo(500);
    assertThat(tracker.signs()).isEqualTo(signs + 250);
    bar("", 501, 501, 1000);
    assertThat(step()).isEqualTo(501);
  }

  @Test
  void shouldTakeNoBarThatIsRepeatedForASign() {
    bar("", 1, 10, 1000);
    long signs = tracker.signs();
    for (int i = 0; i < 50; i++) {
      bar("", 10, 10, 1000);
    }
    assertThat(tracker.signs()).isEqualTo(signs);
  }

  @Test
  void shouldLetAMoreTrustworthyLineTakeOverAndStay() {
    bar("", 1, 100, 1000);
    print("step 990 loss 1");
    assertThat(step()).as("one line may be prose").isEqualTo(100);
    print("step 991 loss 1");
    print("step 992 loss 1");
    assertThat(step()).isEqualTo(992);
    bar("", 101, 102, 1000);
    assertThat(step()).isEqualTo(992);
  }

  @Test
  void shouldLetABarTakeOverWhereWhatCountedHasEnded() {
    for (int i = 1; i <= 20; i++) {
      print("Step %d/20: shard %d".formatted(i, i));
    }
    assertThat(step()).isEqualTo(20);
    bar("Training: ", 1, 20, 1000);
    assertThat(step()).as("not sure yet").isEqualTo(20);
    bar("Training: ", 21, 30, 1000);
    assertThat(step()).isEqualTo(30);
    assertThat(tracker.progress().firstStep()).isEqualTo(1);
  }

  @Test
  void shouldNotLeaveTheLineThatCountsForTwoMovesOfAnother() {
    print("step 7");
    bar("Training: ", 1, 2, 1000);
    assertThat(step()).isEqualTo(7);
    print("step 8");
    bar("Training: ", 3, 4, 1000);
    print("step 9");
    assertThat(step()).isEqualTo(9);
  }

  @Test
  void shouldCountOnWhereABarStartsOverForTheNextEpoch() {
    for (int epoch = 0; epoch < 3; epoch++) {
      bar("", 1, 100, 100);
      bar("", 1, 20, 20);
    }
    assertThat(step()).isEqualTo(300);
    for (int epoch = 0; epoch < 3; epoch++) {
      bar("Epoch %d:".formatted(epoch + 5), 1, 200, 200);
    }
    assertThat(step()).as("for as long as the first").isEqualTo(7 * 200 + 200);
  }

  @Test
  void shouldCountOnWhereAnEpochOfUnknownLengthFollows() {
    for (int epoch = 0; epoch < 2; epoch++) {
      for (int i = 1; i <= 50; i++) {
        print("Epoch %d: |   | %d/? [00:32<00:00,  3.73it/s]".formatted(epoch, i));
      }
    }
    assertThat(step()).isEqualTo(100);
  }

  @Test
  void shouldGoBackWhereTheWorkersWereStartedAgain() {
    bar("", 1, 700, 1000);
    bar("", 501, 503, 1000);
    assertThat(step()).isEqualTo(503);
  }

  @Test
  void shouldRememberBoundedMuchOfBarsWithoutEnd() {
    print("step 1");
    for (int i = 1; i < 5_000; i++) {
      bar("", 1, 1, i);
    }
    print("step 2");
    assertThat(step()).isEqualTo(2);
  }
}
