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
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** One pod whose log cannot be read. */
class PoisonedPodTest extends ProgressFixture {

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
}
