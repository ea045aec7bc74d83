package dev.rekindle.detect.checkpoint.dcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.checkpoint.Scans;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Complete checkpoints, and where they are found. */
class DcpFormatTest extends DcpFormatFixture {
  @Test
  void shouldSayValidWhenEveryFileHasTheLengthThatTheIndexSays() throws IOException {
    assertThat(judge(whole())).isEqualTo(Verdict.VALID);
  }

  /** A save that is renamed when it is complete, killed long after the one before it. */
  @Test
  void shouldLeaveOutAHiddenFolderThatASaveWasNotDoneWith() throws IOException {
    whole();
    var unfinished = directory.resolve(".saving-step-40");
    DcpFixture.write(unfinished, 2, 3, 100, THEN.plusSeconds(600));
    Files.delete(unfinished.resolve(".metadata"));
    var scan = Scans.of(directory, "auto");
    assertThat(scan.error()).isEmpty();
    assertThat(scan.stepless()).isEmpty();
    assertThat(scan.checkpoints()).singleElement().matches(one -> one.verdict().isValid());
  }

  /** The one of examples/checkpoints/step-300: two ranks, PyTorch 2.13. */
  @Test
  void shouldReadTheIndexThatPyTorchHasWritten() throws IOException {
    var folder = Files.createDirectories(directory.resolve("step-300"));
    try (var index = DcpFormatTest.class.getResourceAsStream("metadata")) {
      DcpFixture.file(
          folder.resolve(".metadata"), Objects.requireNonNull(index).readAllBytes(), THEN);
    }
    DcpFixture.file(folder.resolve("__0_0.distcp"), DcpFixture.data(1641), THEN);
    DcpFixture.file(folder.resolve("__1_0.distcp"), DcpFixture.data(2902), THEN);
    assertThat(judge(folder)).isEqualTo(Verdict.VALID);
    cut(folder, "__1_0.distcp", 2901);
    assertThat(judge(folder).reason())
        .isEqualTo("__1_0.distcp has 2901 bytes, .metadata says 2902");
  }

  @Test
  void shouldWantAnIndexOfEveryRankWhereRanksWriteTheirOwn() throws IOException {
    var folder = Files.createDirectories(directory.resolve("step-30"));
    for (int rank = 0; rank < 3; rank++) {
      DcpFixture.file(folder.resolve("__" + rank + "_0.distcp"), DcpFixture.data(100), THEN);
      DcpFixture.file(
          folder.resolve("__" + rank + ".metadata"), DcpFixture.index(rank, 1, 1, 100), THEN);
    }
    assertThat(judge(folder)).isEqualTo(Verdict.VALID);
    delete(folder, "__1.metadata");
    assertThat(judge(folder))
        .isEqualTo(Verdict.torn(Level.L1, "__1.metadata is missing: each rank writes one"));
  }

  @Test
  void shouldFindFoldersByWhatIsInThemAndStepsByTheirNames() throws IOException {
    DcpFixture.write(directory.resolve("step-30"), 2, 3, 100, THEN);
    DcpFixture.write(directory.resolve("ckpt_global_step40"), 2, 3, 100, THEN);
    Files.createDirectory(directory.resolve("step-50"));
    DcpFixture.file(directory.resolve("step-50/__1_0.distcp"), new byte[9], THEN);
    Files.createDirectory(directory.resolve("logs"));
    var result = Scans.of(directory, "auto");
    assertThat(result.error()).isEmpty();
    assertThat(result.checkpoints())
        .extracting(f -> f.step().orElse(-1) + " " + f.format() + " " + f.verdict().kind().word())
        .containsExactly("50 dcp Torn", "40 dcp Valid", "30 dcp Valid");
    DcpFixture.write(directory.resolve("100"), 2, 3, 100, THEN.plusSeconds(100));
    assertThat(Scans.of(directory, "auto").error())
        .isEqualTo(
            "100 (nothing in its name is called a step) is newer than every checkpoint that names"
                + " its step");
  }

  @Test
  void shouldCallAFolderTorchtitansOnlyWhereOneHoldsSafetensors() throws IOException {
    DcpFixture.write(directory.resolve("step-30"), 2, 3, 100, THEN);
    assertThat(Scans.of(directory, "torchtitan").error()).isNotEmpty();
    var last = Files.createDirectory(directory.resolve("step-40"));
    DcpFixture.file(
        last.resolve("model.safetensors.index.json"),
        bytes("{\"weight_map\": {\"a\": \"one.safetensors\"}}"),
        THEN);
    assertThat(Scans.of(directory, "auto").checkpoints())
        .extracting(f -> f.format() + " " + f.verdict().reason())
        .containsExactly("torchtitan one.safetensors is missing", "torchtitan ");
    var header = "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}";
    DcpFixture.file(
        last.resolve("one.safetensors"),
        bytes((char) header.length() + "\0\0\0\0\0\0\0" + header + "1234"),
        THEN);
    assertThat(Scans.of(directory, "auto").checkpoints())
        .allMatch(found -> found.verdict().isValid());
  }
}
