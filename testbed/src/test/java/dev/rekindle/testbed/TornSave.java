package dev.rekindle.testbed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Rank 0 is killed while it saves, straight to the final name, as careless scripts do. */
final class TornSave {
  /** Of a checkpoint beside its tensors, so that saving it takes a while. */
  static final int PADDING_MB = 256;

  private static final Pattern CHECKPOINT = Pattern.compile("step-(\\d+)\\.pt");

  private TornSave() {}

  /**
   * Stops rank 0 at a moment at which its newest checkpoint is unfinished, and kills it there.
   *
   * @return the step of that checkpoint
   */
  static long kill(TrainingJob job) {
    List<Long> master = job.processes("master-0");
    return Await.value(
        "a save caught halfway",
        Duration.ofSeconds(60),
        () -> {
          long size =
              unfinished(job).map(job.checkpoints()::resolve).map(TornSave::size).orElse(-1L);
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

  /** The files of checkpoints by their step. */
  static NavigableMap<Long, Path> checkpoints(TrainingJob job) {
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
