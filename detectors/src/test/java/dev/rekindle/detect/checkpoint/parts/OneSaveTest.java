package dev.rekindle.detect.checkpoint.parts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.checkpoint.Scans;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whether files were written by one save. */
class OneSaveTest {
  private static final Instant THEN = Instant.parse("2026-01-01T00:00:00Z");

  @TempDir Path root;

  @ParameterizedTest(name = "{0} s apart, usually {1}: {2}")
  @CsvSource(
      nullValues = "none",
      value = {
        "0, none, one save",
        "60, none, one save",
        "61, none, two saves",
        "10, 0, one save",
        "11, 0, two saves",
        "11, 3, two saves",
        "11, 4, one save",
        "90, 30, one save",
        "91, 30, two saves",
        "600, 200 200 200, one save",
        // One of them is of two saves itself: it does not make the next one good.
        "600, 1 1800 2, two saves",
        "600, 1800 1, two saves",
      })
  void shouldTakeNoLongerThanSavesUsuallyDo(long apart, String usual, String said) {
    var times = Map.of("model.bin", THEN, "rng.bin", THEN.plusSeconds(apart));
    var before =
        usual == null
            ? List.<Duration>of()
            : Stream.of(usual.split(" "))
                .map(seconds -> Duration.ofSeconds(Long.parseLong(seconds)))
                .toList();

    assertThat(OneSave.fault(times, before).isPresent()).isEqualTo(said.equals("two saves"));
  }

  @Test
  void shouldNameTheFirstAndTheLastAndWhatIsUsual() {
    var times = Map.of("a.bin", THEN.plusSeconds(400), "b.bin", THEN, "c.bin", THEN.plusSeconds(9));

    assertThat(OneSave.fault(times, List.of(Duration.ofSeconds(3))))
        .contains(
            Verdict.unknown(
                Level.L2,
                "b.bin was written 400 s before a.bin, and a save usually takes 3 s:"
                    + " two saves may be mixed"));
    assertThat(OneSave.fault(times, List.of()))
        .map(Verdict::reason)
        .contains("b.bin was written 400 s before a.bin: two saves may be mixed");
    assertThat(OneSave.fault(Map.of(), List.of())).isEmpty();
  }

  @Test
  void shouldCompareWithTheNewestThatWereSavedBefore() throws IOException {
    save("step_5", 2000);
    for (var step : List.of("step_10", "step_20", "step_30", "step_40", "step_50")) {
      save(step, 20);
    }
    save("step_60", 100);
    save("step_70", 20);
    save("other_50", 100);

    assertThat(said("step_60")).contains("a save usually takes 20 s");
    assertThat(said("step_70")).isEmpty();
    assertThat(said("step_10")).as("2000 s are usual").isEmpty();
    assertThat(said("other_50")).as("none of its name was before it").contains("100 s before");
  }

  @Test
  void shouldCompareWithNoneWhereTheDirectoryItselfIsOne() throws IOException {
    save("step_10", 100);
    var folder = Scans.folder(root.resolve("step_10"));

    assertThat(OneSave.fault(folder, folder, Parts::files)).isPresent();
  }

  private String said(String name) throws IOException {
    var parent = Scans.folder(root);
    return OneSave.fault(parent, parent.folder(name), Parts::files).map(Verdict::reason).orElse("");
  }

  private void save(String name, long seconds) throws IOException {
    var folder = Files.createDirectory(root.resolve(name));
    write(folder.resolve("a.bin"), THEN);
    write(folder.resolve("b.bin"), THEN.plusSeconds(seconds));
  }

  private static void write(Path file, Instant time) throws IOException {
    Files.writeString(file, "x");
    Files.setLastModifiedTime(file, FileTime.from(time));
  }
}
