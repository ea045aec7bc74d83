package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code analyze} does with files that are no dumps, or too many. */
class AnalyzeInputsTest extends AnalyzeFixture {
  @Test
  void shouldContinueWithoutWhatCannotBeRead() throws Exception {
    copy(SLOW, 0, 1, 2);
    byte[] whole = Files.readAllBytes(SLOW.resolve(NAME + 3));
    Files.write(folder.resolve(NAME + 3), Arrays.copyOf(whole, whole.length / 2));
    Files.writeString(folder.resolve("notes.txt"), "not a dump");
    assertThat(json(folder)).isZero();
    assertThat(object().get("culprits").get(0).get("rank").asInt()).isEqualTo(2);
    assertThat(object().get("evidence"))
        .map(JsonNode::asText)
        .anyMatch(fact -> fact.startsWith("not used: " + NAME + "3: "))
        .anyMatch(fact -> fact.startsWith("not used: notes.txt: "));
  }

  /** What a person copies of a process that writes no dump: without it the rank is a guess. */
  @ParameterizedTest
  @CsvSource({"T (stopped), high, 0", "S (sleeping), low, 3"})
  void shouldNameARankWhoseStatusSaysThatItIsStopped(String state, String confidence, int code)
      throws Exception {
    copy(SLOW, 0, 1, 3);
    var status = "Name:\tpython\nUmask:\t0022\nState:\t%s\nTgid:\t7\n".formatted(state);
    Files.writeString(folder.resolve("rank_2.status"), status);
    Files.writeString(folder.resolve("other.status"), status);
    assertThat(json(folder)).isEqualTo(code);
    assertThat(object().get("confidence").asText()).isEqualTo(confidence);
    assertThat(object().get("culprits")).hasSize(1);
    assertThat(object().get("culprits").get(0).get("rank").asInt()).isEqualTo(2);
    assertThat(object().get("evidence").toString())
        .contains("other.status: the status of a process without a rank in its name");
  }

  /** Opening a pipe without a writer has no end; a link may lead out of the folder. */
  @Test
  void shouldOpenNoPipeAndFollowNoLink() throws Exception {
    copy(SLOW, 0, 1, 2);
    var pipe = folder.resolve("pipe_3");
    var made = new ProcessBuilder("mkfifo", pipe.toString()).start();
    assertThat(made.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(made.exitValue()).isZero();
    Files.createSymbolicLink(folder.resolve("rank_4"), SLOW.resolve(NAME + 3).toAbsolutePath());
    assertThat(run(folder.toString())).isZero();
    assertThat(written()).doesNotContain("rank 4", "rank_4", "pipe_3");
  }

  /** The folder itself may be a link: the caller has named it. */
  @Test
  void shouldTakeTheNewestDumpOfARank() throws IOException {
    long old = 1_700_000_000L;
    dump("a_0", 9, 8, 1);
    dump("a_1", 9, 8, 1);
    Files.setLastModifiedTime(dump("a_2", 9, 8, 1), FileTime.from(old, TimeUnit.SECONDS));
    dump("b_2", 8, 8, 1);
    assertThat(json(Files.createSymbolicLink(other.resolve("link"), folder))).isZero();
    assertThat(object().get("culprits").get(0).get("rank").asInt()).isEqualTo(2);
  }

  @Test
  void shouldPrintNoControlCharacterOfAProgram() throws IOException {
    dump("a_0", 9, 8, 1);
    dump("a_1", 9, 8, 1);
    dump("a_2", 8, 8, 1);
    assertThat(run(folder.toString())).isZero();
    assertThat(written()).contains("rank 2: has not joined").doesNotContain("\u001b", "\nrank 9");
  }

  @Test
  void shouldRefuseWhatIsNoDumpAndWrongUsage() throws IOException {
    Files.writeString(folder.resolve("rank_0"), "cos\nsystem\n(S'true'\ntR.");
    assertThat(run(folder.toString())).isEqualTo(2);
    assertThat(errors()).contains("no dump, log or answer can be read", "rank_0");
    assertThat(run(folder.resolve("missing").toString())).isEqualTo(2);
    assertThat(errors()).contains("no such file or folder");
    assertThat(run("--ranks", "-1", SLOW.toString())).isEqualTo(2);
    assertThat(run()).isEqualTo(2);
    assertThat(written()).isEmpty();
  }

  @Test
  void shouldBoundWhatIsKeptOfAllFiles() throws IOException {
    var all = WitnessFiles.read(List.of(SLOW), WitnessFiles.Limits.USUAL).dumps();
    assertThat(all.dumps()).hasSize(4);
    var files = WitnessFiles.read(List.of(SLOW), new WitnessFiles.Limits(30, 1));
    var few = files.dumps();
    assertThat(few.dumps()).hasSizeBetween(1, 3);
    assertThat(few.unreadable()).hasSize(4 - few.dumps().size());
    assertThat(files.notes().notes()).last().asString().contains("together hold more than 30");
  }
}
