package dev.rekindle.detect.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Logs of real trainers, recorded by {@code testbed/trainers/record.py}, followed line by line.
 * Beside each log stand the steps that were really made, noted by a hook in the trainer.
 */
class RecordedTrainersTest {
  private static final Path FOLDER = Path.of("src/test/resources/progress/recorded");

  @TempDir Path directory;

  /** A step that was made, and when. */
  private record Made(Instant time, long step) {}

  /** A step that was read, and the time of the line after which it was. */
  private record Read(Instant time, long step) {}

  private static List<Made> made(String name) throws IOException {
    var made = new ArrayList<Made>();
    for (var line : Files.readAllLines(FOLDER.resolve(name + ".steps"))) {
      if (!line.startsWith("#")) {
        var words = line.split(" ", 2);
        made.add(new Made(Instant.parse(words[0]), Long.parseLong(words[1])));
      }
    }
    return made;
  }

  /** The newest step after each line of the log. */
  private List<Read> read(PodProgress pod, String name) throws IOException {
    var read = new ArrayList<Read>();
    // A recording may hold any byte; Latin-1 keeps each.
    var log = Files.readString(FOLDER.resolve(name + ".log"), StandardCharsets.ISO_8859_1);
    for (var line : log.split("(?<=\n)", -1)) {
      if (line.isEmpty()) {
        continue;
      }
      Files.writeString(
          directory.resolve("0.log"),
          line,
          StandardCharsets.ISO_8859_1,
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
      pod.poll();
      @Nullable Long step = pod.progress().lastStep();
      if (step != null) {
        read.add(new Read(Instant.parse(line.substring(0, line.indexOf(' '))), step));
      }
    }
    return read;
  }

  @ParameterizedTest
  @CsvSource({
    // name, the newest step in the end, different steps seen at least
    "plain-ddp, 60, 12",
    "huggingface, 60, 2",
    "huggingface-torchrun, 60, 2",
    "accelerate, 64, 1",
    "lightning-tqdm, 90, 3",
    "deepspeed, 40, 8",
    "composer, 90, 10",
    "composer-bar, 90, 60",
    "torchtune, 90, 2",
    "torchtitan, 40, 9",
    "torchtitan-resumed, 80, 8",
  })
  void shouldReadTheStepsThatWereMade(String name, long end, int steps) throws IOException {
    var made = made(name);
    assertThat(made.getLast().step()).as("the recording").isEqualTo(end);
    try (var pod = new PodProgress(directory, StepPattern.byDefault())) {
      var read = read(pod, name);
      assertThat(read.getLast().step()).isEqualTo(end);
      assertThat(read.stream().map(Read::step).distinct().count()).isGreaterThanOrEqualTo(steps);
      long before = 0;
      for (var one : read) {
        assertThat(one.step()).as("steps do not go back").isGreaterThanOrEqualTo(before);
        long done =
            made.stream()
                .filter(m -> !m.time().isAfter(one.time()))
                .mapToLong(Made::step)
                .max()
                .orElse(0);
        // A trainer may print a step before the hook that notes it is called.
        assertThat(one.step()).as("read at %s", one.time()).isLessThanOrEqualTo(done + 1);
        before = one.step();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"huggingface-no-bar", "deepspeed-warnings", "lightning-rich"})
  void shouldReadNoStepWhereNoneOrOneIsPrinted(String name) throws IOException {
    try (var pod = new PodProgress(directory, StepPattern.byDefault())) {
      assertThat(read(pod, name)).isEmpty();
      assertThat(pod.lines()).isPositive();
    }
  }

  /** The save of the last step ends with no line of its own: only training does. */
  @ParameterizedTest
  @CsvSource({"torchtitan, 4, 3", "torchtitan-resumed, 4, 3"})
  void shouldSeeTheSavesOfTorchtitan(String name, long begun, long over) throws IOException {
    var said =
        Files.readAllLines(FOLDER.resolve(name + ".log")).stream()
            .flatMap(line -> SaveLine.of(line).stream())
            .toList();
    assertThat(said).filteredOn(SaveLine.BEGINS::equals).hasSize((int) begun);
    assertThat(said).filteredOn(SaveLine.OVER::equals).hasSize((int) over);
  }

  @Test
  void shouldTryEveryRecording() throws IOException {
    Set<String> names;
    try (var files = Files.list(FOLDER)) {
      names =
          files
              .map(file -> file.getFileName().toString())
              .filter(file -> file.endsWith(".log"))
              .map(file -> file.substring(0, file.length() - ".log".length()))
              .collect(Collectors.toSet());
    }
    var source =
        Files.readString(
            Path.of("src/test/java/dev/rekindle/detect/progress/RecordedTrainersTest.java"));
    assertThat(names).isNotEmpty().allSatisfy(name -> assertThat(source).contains('"' + name));
  }
}
