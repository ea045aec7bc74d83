package dev.rekindle.detect.checkpoint.dcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.format.Verdict.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Checkpoints that are torn, cut off or made to hurt. */
class DcpDamageTest extends DcpFormatFixture {
  /** What happens to a folder. */
  interface Damage {
    void to(Path folder) throws IOException;
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
            f -> DcpFixture.file(f.resolve("__0_0.distcp"), DcpFixture.data(301), THEN)),
        damage(
            "a shard of the next save",
            "Torn L2 __0_0.distcp was written 59 s after .metadata: two saves are mixed",
            f ->
                DcpFixture.file(
                    f.resolve("__0_0.distcp"), DcpFixture.data(300), THEN.plusSeconds(60))),
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
            f ->
                DcpFixture.file(
                    f.resolve("__0_0.distcp"), DcpFixture.data(300), THEN.plusSeconds(3))));
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
  void shouldExecuteNothingThatAPickleNames() throws IOException {
    var folder = whole();
    var touched = directory.resolve("touched");
    var call = "\u0080\u0002cos\nsystem\nX" + (char) (touched.toString().length() + 6);
    DcpFixture.file(
        folder.resolve(".metadata"), bytes(call + "\0\0\0touch " + touched + "\u0085R."), THEN);
    assertThat(judge(folder).kind()).isEqualTo(Kind.UNKNOWN);
    assertThat(touched).doesNotExist();
  }
}
