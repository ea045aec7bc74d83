package dev.rekindle.agent.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.LoggedSaves;
import dev.rekindle.api.RankReport;
import dev.rekindle.api.Transport;
import dev.rekindle.detect.ncclog.LoggedLine;
import dev.rekindle.detect.progress.LoadErrorLine;
import dev.rekindle.detect.progress.Loss;
import dev.rekindle.detect.progress.Pace;
import dev.rekindle.detect.progress.PodProgress;
import dev.rekindle.detect.progress.Progress;
import dev.rekindle.detect.progress.RestartLine;
import dev.rekindle.detect.progress.StepPattern;
import dev.rekindle.detect.progress.TrainingLog;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Logs that cannot be read, and reports that cannot be written. */
class ProgressFailuresTest extends ProgressFixture {
  @Test
  void shouldSayWhyWhenStepPatternIsUnusableOrThereIsNoLog() throws IOException {
    job(
        Map.of("rekindle.dev/recover", "true", "rekindle.dev/step-pattern", "step (\\d+"),
        Map.of());
    loop.tick();
    assertThat(status().message()).contains("no RE2 expression").contains("default");
    print(0, "step 3");
    tickAfter(Duration.ofMillis(200));
    assertThat(status().lastStep()).isEqualTo(3);
    job(
        Map.of("rekindle.dev/recover", "true", "rekindle.dev/step-pattern", "batch (\\d+)"),
        Map.of());
    tickAfter(Duration.ofSeconds(30));
    assertThat(status().message()).isEmpty();
    print(0, "batch 7");
    tickAfter(Duration.ofSeconds(5));
    assertThat(status().lastStep()).isEqualTo(7);
  }

  @Test
  void shouldSayThatThereIsNoLogWhenContainerHasNotStarted() {
    optIn();
    loop.tick();
    assertThat(status().message()).contains("no log");
  }

  @Test
  void shouldTryAgainLaterAndLaterWhenWritesFail() throws IOException {
    optIn();
    print(0, "step 1");
    loop.tick();
    crud.refuse = request -> request.contains("rankreports") ? 403 : 0;
    print(0, "step 2");
    var writes = new ArrayList<Long>();
    for (long second = 1; second <= 200; second++) {
      var before = crud.requests.size();
      tickAfter(Duration.ofSeconds(1));
      if (crud.requests.subList(before, crud.requests.size()).stream()
          .anyMatch(request -> request.contains("rankreports"))) {
        writes.add(second);
      }
    }
    assertThat(writes).containsExactly(5L, 6L, 8L, 12L, 20L, 36L, 66L, 96L, 126L, 156L, 186L);
    crud.refuse = request -> 0;
    tickAfter(Duration.ofSeconds(30));
    assertThat(status().lastStep()).isEqualTo(2);
  }

  @Test
  void shouldNotTryAgainEveryRoundWhenNewsCannotBeWritten() throws IOException {
    optIn();
    print(0, "hello");
    loop.tick();
    crud.refuse = request -> request.contains("rankreports") ? 403 : 0;
    print(0, "step 1");
    var before = crud.requests.size();
    for (int round = 0; round < 4; round++) {
      tickAfter(Duration.ofMillis(200));
    }
    assertThat(crud.requests.subList(before, crud.requests.size()))
        .filteredOn(request -> request.contains("rankreports"))
        .hasSize(1);
    crud.refuse = request -> 0;
    tickAfter(Duration.ofMillis(400));
    assertThat(status().firstStep()).as("a second after the failure").isEqualTo(1);
  }

  /** A log whose reading fails with whatever is thrown, until it is asked to be read again. */
  private static final class Poisoned implements TrainingLog {
    private @Nullable Throwable poison;
    private int polls;

    Poisoned(Throwable poison) {
      this.poison = poison;
    }

    @Override
    public void use(StepPattern pattern) {}

    @Override
    public void poll() {
      polls++;
      switch (poison) {
        case null -> {}
        case Error error -> throw error;
        case RuntimeException e -> throw e;
        default -> throw new AssertionError(poison);
      }
    }

    @Override
    public Progress progress() {
      return new Progress(0, null, null, null, null);
    }

    @Override
    public long signs() {
      return 0;
    }

    @Override
    public long lines() {
      return 0;
    }

    @Override
    public List<LoggedLine> said() {
      return List.of();
    }

    @Override
    public Pace pace() {
      return Pace.NONE;
    }

    @Override
    public @Nullable RestartLine asked() {
      return null;
    }

    @Override
    public @Nullable LoadErrorLine loadError() {
      return null;
    }

    @Override
    public @Nullable Loss loss() {
      return null;
    }

    @Override
    public @Nullable LoggedSaves saves() {
      return null;
    }

    @Override
    public @Nullable Transport transport() {
      return null;
    }

    @Override
    public void close() {}
  }

  static List<Throwable> poisons() {
    return List.of(
        new StackOverflowError("thrown by the test"),
        new OutOfMemoryError("thrown by the test"),
        new IllegalStateException("thrown by the test"));
  }

  @ParameterizedTest
  @MethodSource("poisons")
  void shouldGiveUpOnePodAloneWhenReadingItThrows(Throwable poison) throws IOException {
    optIn();
    var poisoned = new Poisoned(poison);
    var other = pod("other", "87654321-bbbb", false);
    pods.add(0, other);
    loop =
        newLoop(
            podLogs,
            (path, pattern) ->
                path.toString().contains("_other_") ? poisoned : new PodProgress(path, pattern));
    print(0, "step 1");
    loop.tick();
    assertThat(status().lastStep()).isEqualTo(1);
    print(0, "step 2");
    tickAfter(Duration.ofSeconds(5));
    assertThat(status().lastStep()).as("the pod beside it").isEqualTo(2);

    tickAfter(Duration.ofSeconds(60));
    assertThat(poisoned.polls).as("not five times a second").isEqualTo(1);
    assertThat(loop.unread()).isEqualTo(1);
    assertThat(loop.followed()).isEqualTo(2);
    var unread =
        crud.client
            .resources(RankReport.class)
            .inNamespace("team")
            .withName("other-87654321.node-1")
            .get()
            .getStatus();
    assertThat(unread.message())
        .contains("not read any more")
        .contains(poison.getClass().getSimpleName());
    assertThat(unread.observedTime()).as("not read yet").isNull();

    poisoned.poison = null;
    job(
        Map.of("rekindle.dev/recover", "true", "rekindle.dev/step-pattern", "batch (\\d+)"),
        Map.of());
    tickAfter(Duration.ofSeconds(30));
    assertThat(poisoned.polls).as("another pattern is another try").isEqualTo(2);
    assertThat(loop.unread()).isZero();
  }

  @Test
  void shouldMakeItAgainWhenSomebodyDeletedTheReport() throws IOException {
    optIn();
    print(0, "step 1");
    loop.tick();
    crud.client.resources(RankReport.class).inNamespace("team").withName(REPORT).delete();
    tickAfter(Duration.ofSeconds(5));
    tickAfter(Duration.ofSeconds(1));
    assertThat(status().lastStep()).isEqualTo(1);
  }
}
