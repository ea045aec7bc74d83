package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** A rank is killed while it saves, straight to the final name, as careless scripts do. */
@Order(5)
@OnTestbed
class TornCheckpointIT {
  private static final Pattern CHECKPOINT = Pattern.compile("step-(\\d+)\\.pt");
  private static final int PADDING_MB = 256;

  @Test
  void shouldResumeFromTheNewestWholeCheckpointWhenTheNewestIsTorn(Scene scene) {
    TrainingJob job =
        scene
            .job("torn")
            .restartPolicy("Never")
            .set("CHECKPOINT_ATOMIC", "0")
            .set("CHECKPOINT_PADDING_MB", Integer.toString(PADDING_MB))
            .start();
    job.awaitStep(22);
    Set<String> old = job.placement().keySet();

    long torn = killWithinASave(job);
    List<Long> present = List.copyOf(checkpoints(job).keySet());
    Recovery recovery = job.recoveries().awaitRecovered(Duration.ofSeconds(90));

    long whole = present.stream().filter(s -> s < torn).max(Long::compare).orElseThrow();
    RecoveryStatus.PinnedCheckpoint pin = Recoveries.checkpoint(recovery);
    assertThat(pin.verdict()).isEqualTo("Valid");
    assertThat(pin.step()).as("the newest whole one of %s", present).isEqualTo(whole);
    assertThat(pin.message())
        .as("which one was passed over, and why")
        .contains("passed over", "step " + torn, "torn");
    assertThat(job.awaitEvent("CheckpointPinned", Duration.ofSeconds(5))).contains("step " + torn);
    job.awaitNewGenerationPast(whole, old, Duration.ofSeconds(30));
    TrainingLog.Step first = job.log().steps(s -> !old.contains(s.uid())).getFirst();
    assertThat(first.step()).isEqualTo(whole + 1);
    assertThat(Objects.requireNonNull(Recoveries.outcome(recovery).resumedStep())).isEqualTo(whole);
  }

  /** Stops rank 0 at a moment at which its newest checkpoint is unfinished, and kills it there. */
  private static long killWithinASave(TrainingJob job) {
    List<Long> master = job.processes("master-0");
    return Await.value(
        "a save caught halfway",
        Duration.ofSeconds(60),
        () -> {
          long size =
              unfinished(job)
                  .map(job.checkpoints()::resolve)
                  .map(TornCheckpointIT::size)
                  .orElse(-1L);
          if (size < 0) {
            return Optional.empty();
          }
          Host.signal("STOP", master);
          Optional<Path> file = unfinished(job);
          if (file.isEmpty()) {
            Host.signal("CONT", master);
            return Optional.empty();
          }
          Host.kill(master);
          return step(file.get());
        });
  }

  /** The newest checkpoint, if its padding is not all there. */
  private static Optional<Path> unfinished(TrainingJob job) {
    return Optional.ofNullable(checkpoints(job).lastEntry())
        .map(Map.Entry::getValue)
        .filter(p -> size(p) < ((long) PADDING_MB << 20));
  }

  private static NavigableMap<Long, Path> checkpoints(TrainingJob job) {
    NavigableMap<Long, Path> found = new TreeMap<>();
    try (var files = Files.newDirectoryStream(job.checkpoints())) {
      files.forEach(f -> step(f).ifPresent(s -> found.put(s, f)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return found;
  }

  private static Optional<Long> step(Path file) {
    Matcher name = CHECKPOINT.matcher(file.getFileName().toString());
    return name.matches() ? Optional.of(Long.parseLong(name.group(1))) : Optional.empty();
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException gone) {
      return Long.MAX_VALUE;
    }
  }
}
