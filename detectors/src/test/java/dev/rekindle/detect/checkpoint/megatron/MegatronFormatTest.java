package dev.rekindle.detect.checkpoint.megatron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.detect.checkpoint.Fixtures;
import dev.rekindle.detect.checkpoint.dcp.DcpFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Folders of Megatron. */
class MegatronFormatTest extends MegatronFixture {
  /** What happens to a folder. */
  interface Damage {
    void to(Path folder) throws IOException;
  }

  private Path legacy(int step, String... ranks) throws IOException {
    var folder = root.resolve("iter_%07d".formatted(step));
    for (var rank : ranks) {
      var of = Files.createDirectories(folder.resolve("mp_rank_" + rank));
      DcpFixture.file(of.resolve("model_optim_rng.pt"), Fixtures.torchSave(), THEN);
      DcpFixture.file(of.resolve("distrib_optim.pt"), Fixtures.torchSave(), THEN);
    }
    return folder;
  }

  private static Stream<Arguments> ofDist() {
    return Stream.of(
        argumentSet("whole", (Damage) _ -> {}, "Valid L3 "),
        argumentSet(
            "no marker",
            (Damage) f -> Files.delete(f.resolve("metadata.json")),
            "Torn L1 metadata.json is missing: it is written after the shards"),
        argumentSet(
            "half a marker",
            (Damage) f -> text(f.resolve("metadata.json"), "{\"sharded_ba"),
            "Torn L1 metadata.json: cut off"),
        argumentSet(
            "another backend",
            (Damage) f -> text(f.resolve("metadata.json"), "{\"sharded_backend\": \"zarr\"}"),
            "Unknown L1 its backend is zarr, not judged"),
        argumentSet(
            "no common state",
            (Damage) f -> Files.delete(f.resolve("common.pt")),
            "Torn L2 common.pt is missing"),
        argumentSet(
            "half a common state",
            (Damage)
                f ->
                    DcpFixture.file(
                        f.resolve("common.pt"), Arrays.copyOf(Fixtures.torchSave(), 900), THEN),
            "Torn L3 common.pt: no whole zip END record in the last bytes of 900: cut off, or still"
                + " being written"),
        argumentSet(
            "a shard less",
            (Damage) f -> Files.delete(f.resolve("__1_0.distcp")),
            "Torn L2 __1_0.distcp is missing"),
        argumentSet(
            "a rank that has begun to save it again",
            (Damage)
                f ->
                    DcpFixture.file(
                        f.resolve("common.pt"), Fixtures.torchSave(), THEN.plusSeconds(9)),
            "Torn L2 common.pt was written 7 s after latest_checkpointed_iteration.txt: two saves"
                + " are mixed"));
  }

  @ParameterizedTest
  @MethodSource("ofDist")
  void shouldJudgeFoldersOfTorchDist(Damage damage, String verdict) throws IOException {
    damage.to(dist(30));
    dist(20);
    tracker("30");
    assertThat(scan().error()).isEmpty();
    assertThat(scan().checkpoints()).extracting(f -> f.format() + f.step()).hasSize(2);
    assertThat(said(scan().checkpoints().getFirst())).isEqualTo(verdict);
    assertThat(said(scan().checkpoints().getLast())).isEqualTo("Valid L3 ");
  }

  private static Stream<Arguments> ofLegacy() {
    return Stream.of(
        argumentSet("whole", (Damage) _ -> {}, "Valid L3 "),
        argumentSet(
            "a rank less",
            (Damage) f -> delete(f.resolve("mp_rank_00_001")),
            "Torn L2 mp_rank_00_001 is missing"),
        argumentSet(
            "the last rank of both kinds less",
            (Damage)
                f -> {
                  delete(f.resolve("mp_rank_01_000"));
                  delete(f.resolve("mp_rank_01_001"));
                },
            "Unknown L2 2 ranks; iter_0000020 has 4"),
        argumentSet(
            "a file less",
            (Damage) f -> Files.delete(f.resolve("mp_rank_01_000/distrib_optim.pt")),
            "Torn L2 mp_rank_01_000 has other files than mp_rank_00_000"),
        argumentSet(
            "half a file",
            (Damage)
                f ->
                    DcpFixture.file(
                        f.resolve("mp_rank_01_001/model_optim_rng.pt"), new byte[0], THEN),
            "Torn L2 mp_rank_01_001/model_optim_rng.pt: the file is empty"));
  }

  @ParameterizedTest
  @MethodSource("ofLegacy")
  void shouldJudgeFoldersOfMegatronsOwn(Damage damage, String verdict) throws IOException {
    legacy(20, "00_000", "00_001", "01_000", "01_001");
    damage.to(legacy(30, "00_000", "00_001", "01_000", "01_001"));
    tracker("30\n");
    assertThat(said(scan().checkpoints().getFirst())).isEqualTo(verdict);
    var whole = scan().checkpoints().getLast();
    assertThat(said(whole)).isEqualTo("Valid L3 ");
    assertThat(whole.verdict().ranks()).as("two tensor by two pipeline ranks").isEqualTo(4);
  }

  private static void delete(Path folder) throws IOException {
    try (var files = Files.list(folder)) {
      for (var file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }

  @Test
  void shouldContinueWhereOneFolderMayNotBeRead() throws IOException {
    dist(30);
    tracker("30");
    Files.createSymbolicLink(root.resolve("iter_0000040"), Path.of("/proc/1"));
    assertThat(scan().checkpoints())
        .extracting(one -> one.step().orElse(-1) + one.verdict().kind().word())
        .containsExactly("40Unknown", "30Valid");
    assertThat(scan().error()).isEmpty();
  }
}
