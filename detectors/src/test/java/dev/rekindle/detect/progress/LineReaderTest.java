package dev.rekindle.detect.progress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Lines as training programs print them, from {@code src/test/resources/progress}. */
class LineReaderTest {
  private static final Path FOLDER = Path.of("src/test/resources/progress");

  /** A line, and what is to be read off it. */
  record Example(String trainer, String expected, String line) {}

  static List<Example> examples(String file) throws IOException {
    var examples = new java.util.ArrayList<Example>();
    var trainer = "";
    for (var line : Files.readAllLines(FOLDER.resolve(file))) {
      if (line.startsWith("== ")) {
        trainer = line.substring(3).split(" \\| ", -1)[0];
      } else if (!line.isEmpty() && !line.startsWith("#")) {
        int colon = line.indexOf(" : ");
        examples.add(
            new Example(
                trainer,
                line.substring(0, colon),
                line.substring(colon + 3).replace("\\e", "\u001b")));
      }
    }
    return examples;
  }

  private static String said(String line) {
    return LineReader.read(line)
        .map(
            reading ->
                switch (reading) {
                  case Reading.Step step -> step.format() + " " + step.number();
                  case Reading.Other _ -> "other";
                })
        .orElse("none");
  }

  @TestFactory
  Stream<DynamicTest> shouldReadWhatTrainersPrint() throws IOException {
    return Stream.of("trainers.txt", "no-steps.txt")
        .flatMap(
            file -> {
              try {
                return examples(file).stream();
              } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            })
        .map(
            example ->
                dynamicTest(
                    example.trainer() + ": " + example.line(),
                    () -> {
                      assertThat(said(example.line())).isEqualTo(example.expected());
                      byte[] bytes = example.line().getBytes(StandardCharsets.UTF_8);
                      if (!example.expected().equals("none")) {
                        assertThat(LineFilter.of(bytes, 0, bytes.length) & LineFilter.STEP)
                            .as("worth parsing")
                            .isEqualTo(LineFilter.STEP);
                      }
                    }));
  }

  @Test
  void shouldHaveAnExampleOfEachFormat() throws IOException {
    var seen = EnumSet.noneOf(StepFormat.class);
    examples("trainers.txt").stream()
        .map(example -> example.expected().split(" ", -1)[0])
        .filter(format -> !format.equals("none") && !format.equals("other"))
        .forEach(format -> seen.add(StepFormat.valueOf(format)));
    assertThat(seen).containsExactlyInAnyOrder(StepFormat.values());
  }

  @Test
  void shouldPassNoStepOverWhateverTheLine() throws IOException {
    var lines = examples("trainers.txt").stream().map(Example::line).toList();
    var random = new Random(7);
    for (int i = 0; i < 20_000; i++) {
      var a = lines.get(random.nextInt(lines.size()));
      var b = lines.get(random.nextInt(lines.size()));
      var line =
          a.substring(0, random.nextInt(a.length() + 1)) + b.substring(random.nextInt(b.length()));
      byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
      if (LineReader.read(line).filter(Reading.Step.class::isInstance).isPresent()) {
        assertThat(LineFilter.of(bytes, 0, bytes.length) & LineFilter.STEP)
            .as("%s", line)
            .isEqualTo(LineFilter.STEP);
      }
    }
  }

  @Test
  void shouldEndInTimeWhateverTheLine() {
    for (var piece :
        List.of("step ", "epoch 1 ", "━", "%|", "[batch=", "\u001b[", "Epoch: [", "/? [", "a ")) {
      var line = piece.repeat(LineJoiner.MAX_LINE / piece.length());
      Assertions.assertTimeoutPreemptively(
          Duration.ofSeconds(5),
          () -> {
            for (int i = 0; i < 100; i++) {
              var _ = LineReader.read(line + i);
            }
          },
          piece);
    }
  }
}
