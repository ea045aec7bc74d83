package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.detect.flightrecorder.DumpException;
import dev.rekindle.detect.flightrecorder.DumpReader;
import dev.rekindle.detect.flightrecorder.ProcessGroup;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Dumps as PyTorch 2.2 and 2.3 write them: by their sources, not of a real GPU. Rank 2 has not come
 * to the collective for which the others wait.
 */
class EarlyDumpsTest extends AnalyzeFixture {
  private static final Path EARLY = Path.of("src/test/resources/early-dumps");
  private static final Instant WRITTEN = Instant.ofEpochSecond(1_700_000_100);

  private static byte[] dump(String version, int rank) throws IOException {
    return Files.readAllBytes(EARLY.resolve(version).resolve("nccl_trace_rank_" + rank));
  }

  private static byte[] gzip(byte[] bytes) throws IOException {
    var packed = new ByteArrayOutputStream();
    try (var out = new GZIPOutputStream(packed)) {
      out.write(bytes);
    }
    return packed.toByteArray();
  }

  private void write(String name, byte[] bytes) throws IOException {
    var file = Files.write(folder.resolve(name), bytes);
    Files.setLastModifiedTime(file, FileTime.from(WRITTEN));
  }

  @ParameterizedTest
  @ValueSource(strings = {"torch-2.2", "torch-2.3"})
  void shouldNameTheRankThatIsBehind(String version) throws IOException {
    for (int rank = 0; rank < 4; rank++) {
      write("nccl_trace_rank_" + rank, dump(version, rank));
    }
    assertThat(json(folder)).isZero();
    assertThat(culprits()).isEqualTo("2");
    assertThat(object().get("class").asText()).isEqualTo("host");
  }

  /** Each process counts its groups for itself: group 1 of rank 0 is not that of rank 2. */
  @Test
  void shouldCompareNoGroupsThatOnlyHaveTheSameNumber() throws Exception {
    var world = new ProcessGroup("0", "", List.of());
    var listed = new DumpReader().read(0, dump("torch-2.2", 0));
    assertThat(listed.groups()).containsOnlyKeys(world);
    assertThat(listed.groups().get(world)).matches(p -> p.enqueued() == 42 && p.completed() == 41);
    assertThat(listed.newest()).isEqualTo(1_700_000_042_000_000_000L);
    var all = List.of(0, 1, 2, 3);
    assertThat(new DumpReader().read(0, dump("torch-2.3", 0)).groups())
        .containsOnlyKeys(
            new ProcessGroup("0", "", all), new ProcessGroup("ranks 0,1", "", List.of(0, 1)));
    assertThat(new DumpReader().read(3, dump("torch-2.3", 3)).groups())
        .containsOnlyKeys(
            new ProcessGroup("0", "", all), new ProcessGroup("ranks 2,3", "", List.of(2, 3)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"nccl_trace_rank_%d.gz", "trace_%d.pkl.gz", "nccl_trace_rank_%d"})
  void shouldReadDumpsThatAreCompressed(String name) throws IOException {
    for (int rank = 0; rank < 4; rank++) {
      write(name.formatted(rank), gzip(dump("torch-2.2", rank)));
    }
    write("rank_1.log.gz", gzip(new byte[] {'a', '\n'}));
    assertThat(json(folder)).isZero();
    assertThat(culprits()).isEqualTo("2");
    assertThat(evidence()).contains("rank_1.log.gz: it is packed");
  }

  @Test
  void shouldBoundWhatACompressedDumpHolds() throws IOException {
    var bomb = gzip(new byte[1 << 20]);
    assertThat(bomb.length).isLessThan(1 << 12);
    assertThatThrownBy(() -> new DumpReader(1 << 16, 1_000).read(0, bomb))
        .isInstanceOf(DumpException.class)
        .hasMessageContaining("larger than 65536 bytes, uncompressed");
    var whole = gzip(dump("torch-2.2", 0));
    for (int length = 0; length < whole.length; length += 7) {
      var part = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> new DumpReader().read(0, part)).isInstanceOf(DumpException.class);
    }
  }
}
