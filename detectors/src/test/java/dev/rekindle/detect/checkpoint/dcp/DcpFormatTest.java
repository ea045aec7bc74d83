package dev.rekindle.detect.checkpoint.dcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.detect.checkpoint.Scans;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.format.Verdict.Kind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class DcpFormatTest {
  private static final Instant THEN = Instant.parse("2026-01-01T00:00:00Z");

  @TempDir Path directory;

  /** What happens to a folder. */
  interface Damage {
    void to(Path folder) throws IOException;
  }

  private static Verdict judge(Path folder) throws IOException {
    return DcpFolder.judge(Scans.folder(folder));
  }

  private Path whole() {
    var folder = directory.resolve("step-30");
    DcpFixture.write(folder, 2, 3, 100, THEN);
    return folder;
  }

  @Test
  void shouldSayValidWhenEveryFileHasTheLengthThatTheIndexSays() throws IOException {
    assertThat(judge(whole())).isEqualTo(Verdict.VALID);
  }

  /** A save that is renamed when it is whole, killed long after the one before it. */
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
    DcpFixture.file(folder.resolve("__0_0.distcp"), new byte[1641], THEN);
    DcpFixture.file(folder.resolve("__1_0.distcp"), new byte[2902], THEN);
    assertThat(judge(folder)).isEqualTo(Verdict.VALID);
    cut(folder, "__1_0.distcp", 2901);
    assertThat(judge(folder).reason())
        .isEqualTo("__1_0.distcp has 2901 bytes, .metadata says 2902");
  }

  /** What would take memory or time without end. */
  @Test
  void shouldGiveUpWhereAnIndexIsBuiltToHurt() throws IOException {
    var folder = whole();
    for (var opcode : new int[] {'N', '(', ']', 'K'}) {
      var deep = new byte[1_000_000];
      Arrays.fill(deep, (byte) opcode);
      deep[0] = (byte) 0x80;
      deep[1] = 2;
      DcpFixture.file(folder.resolve(".metadata"), deep, THEN.plusSeconds(1));
      assertThat(judge(folder).kind()).isEqualTo(Kind.UNKNOWN);
    }
    DcpFixture.file(
        folder.resolve(".metadata"), bytes("\u0080\u0004X\u00ff\u00ff\u00ff\u00ffx"), THEN);
    assertThat(judge(folder).isValid()).isFalse();
  }

  private static Stream<Arguments> damages() {
    return Stream.of(
        damage(
            "no index",
            "Torn L1 .metadata is missing: it is written last",
            f -> delete(f, ".metadata")),
        damage(
            "the index was not renamed",
            "Torn L1 .metadata.tmp was not renamed: the save did not end",
            f -> Files.move(f.resolve(".metadata"), f.resolve(".metadata.tmp"))),
        damage("an empty index", "Torn L2 .metadata is empty", f -> cut(f, ".metadata", 0)),
        damage(
            "half an index",
            "Torn L3 .metadata: cut off: a text of 12 bytes",
            f -> cut(f, ".metadata", 300)),
        damage("a shard less", "Torn L2 __1_0.distcp is missing", f -> delete(f, "__1_0.distcp")),
        damage(
            "an empty shard",
            "Torn L2 __1_0.distcp has 0 bytes, .metadata says 300",
            f -> cut(f, "__1_0.distcp", 0)),
        damage(
            "a short shard",
            "Torn L3 __1_0.distcp has 299 bytes, .metadata says 300",
            f -> cut(f, "__1_0.distcp", 299)),
        damage(
            "a long shard",
            "Torn L3 __0_0.distcp has 301 bytes, .metadata says 300",
            f -> DcpFixture.file(f.resolve("__0_0.distcp"), new byte[301], THEN)),
        damage(
            "a shard of the next save",
            "Torn L2 __0_0.distcp was written 59 s after .metadata: two saves are mixed",
            f -> DcpFixture.file(f.resolve("__0_0.distcp"), new byte[300], THEN.plusSeconds(60))),
        damage(
            "a link that leads out",
            "Unknown L2 __0_0.distcp is no file that may be read",
            f -> {
              delete(f, "__0_0.distcp");
              Files.createSymbolicLink(f.resolve("__0_0.distcp"), Path.of("/etc/passwd"));
            }),
        damage(
            "an index that is no Metadata",
            "Unknown L3 .metadata: not a Metadata of torch.distributed.checkpoint",
            f -> DcpFixture.file(f.resolve(".metadata"), bytes("\u0080\u0002}."), THEN)),
        damage(
            "shards of another save without a reference to them",
            "Valid L3 ",
            f -> DcpFixture.file(f.resolve("__7_0.distcp"), new byte[5], THEN)),
        damage(
            "clocks that differ by a second",
            "Valid L3 ",
            f -> DcpFixture.file(f.resolve("__0_0.distcp"), new byte[300], THEN.plusSeconds(3))));
  }

  private static Arguments damage(String name, String verdict, Damage damage) {
    return argumentSet(name, damage, verdict);
  }

  @ParameterizedTest
  @MethodSource("damages")
  void shouldSayWhatIsWrongWithAFolder(Damage damage, String verdict) throws IOException {
    var folder = whole();
    damage.to(folder);
    var given = judge(folder);
    assertThat(given.kind().word() + " " + given.level() + " " + given.reason()).isEqualTo(verdict);
  }

  /** Whatever file ends too soon, and wherever. */
  @Test
  void shouldNeverSayValidWhenAnyFileIsCut() throws IOException {
    var folder = whole();
    try (var files = Files.list(folder)) {
      for (var file : files.toList()) {
        var bytes = Files.readAllBytes(file);
        var time = Files.getLastModifiedTime(file).toInstant();
        for (int length = 0; length < bytes.length; length++) {
          DcpFixture.file(file, Arrays.copyOf(bytes, length), time);
          assertThat(judge(folder).kind()).as(file + " cut to " + length).isEqualTo(Kind.TORN);
        }
        DcpFixture.file(file, bytes, time);
      }
    }
    assertThat(judge(folder)).isEqualTo(Verdict.VALID);
  }

  @Test
  void shouldNeverSayValidWhenTheIndexEndsInZeros() throws IOException {
    var folder = whole();
    var bytes = Files.readAllBytes(folder.resolve(".metadata"));
    for (int from = 0; from < bytes.length - 1; from++) {
      var zeroed = bytes.clone();
      Arrays.fill(zeroed, from, bytes.length, (byte) 0);
      DcpFixture.file(folder.resolve(".metadata"), zeroed, THEN.plusSeconds(1));
      assertThat(judge(folder).isValid()).as("zero from " + from).isFalse();
    }
  }

  @Test
  void shouldWantAnIndexOfEveryRankWhereRanksWriteTheirOwn() throws IOException {
    var folder = Files.createDirectories(directory.resolve("step-30"));
    for (int rank = 0; rank < 3; rank++) {
      DcpFixture.file(folder.resolve("__" + rank + "_0.distcp"), new byte[100], THEN);
      DcpFixture.file(
          folder.resolve("__" + rank + ".metadata"), DcpFixture.index(rank, 1, 1, 100), THEN);
    }
    assertThat(judge(folder)).isEqualTo(Verdict.VALID);
    delete(folder, "__1.metadata");
    assertThat(judge(folder))
        .isEqualTo(Verdict.torn(Level.L1, "__1.metadata is missing: each rank writes one"));
  }

  @Test
  void shouldExecuteNothingThatAPickleNames() throws IOException {
    var folder = whole();
    var touched = directory.resolve("touched");
    var call = "\u0080\u0002cos\nsystem\nX" + (char) (touched.toString().length() + 6);
    DcpFixture.file(
        folder.resolve(".metadata"), bytes(call + "\0\0\0touch " + touched + "\u0085R."), THEN);
    assertThat(judge(folder).kind()).isEqualTo(Kind.UNKNOWN);
    assertThat(touched).doesNotExist();
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

  private static byte[] bytes(String latin) {
    return latin.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static void delete(Path folder, String name) throws IOException {
    Files.delete(folder.resolve(name));
  }

  private static void cut(Path folder, String name, int length) throws IOException {
    var file = folder.resolve(name);
    var time = Files.getLastModifiedTime(file).toInstant();
    DcpFixture.file(file, Arrays.copyOf(Files.readAllBytes(file), length), time);
  }
}
