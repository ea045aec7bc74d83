package dev.rekindle.detect.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** The page lists the trainers whose lines are tried, and what it shows of them is read so. */
class TrainersPageTest {
  private static final Path PAGE = Path.of("..", "docs", "annotations.md");

  @Test
  void shouldListTheTrainersWhoseLinesAreTried() throws IOException {
    var page = Files.readString(PAGE);
    var table = page.substring(page.indexOf("| trainer | line | step |"));
    var rows =
        table
            .substring(0, table.indexOf("\n\n"))
            .lines()
            .skip(2)
            .map(row -> row.split(" \\| ", 2)[0].substring(2))
            .toList();
    var tried =
        LineReaderTest.examples("trainers.txt").stream()
            .map(LineReaderTest.Example::trainer)
            .distinct()
            .toList();
    assertThat(rows).isEqualTo(tried);
  }

  @Test
  void shouldReadAStepOffEveryLineThatThePageShows() throws IOException {
    var page = Files.readString(PAGE);
    var table = page.substring(page.indexOf("| trainer | line | step |"));
    var rows = table.substring(0, table.indexOf("\n\n")).lines().skip(2).toList();
    assertThat(rows)
        .allSatisfy(
            row -> {
              var cell = row.replace("\\|", "\u0000").split("\\|", -1)[2].replace('\u0000', '|');
              var shown =
                  Arrays.stream(cell.split("`", -1))
                      .filter(text -> text.matches(".*\\d.*"))
                      .map(text -> text.replace("[...]", "[00:32<03:55, 3.7it/s]"))
                      .map(text -> text.replace("12%|...", "12%|█ | 12/99 [00:32<03:55]"))
                      .toList();
              for (var text : shown) {
                assertThat(LineReader.read(text)).as(text).isPresent();
              }
            });
  }
}
