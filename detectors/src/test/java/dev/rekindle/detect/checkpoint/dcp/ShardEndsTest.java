package dev.rekindle.detect.checkpoint.dcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.checkpoint.Scans;
import dev.rekindle.detect.checkpoint.format.Verdict.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Shards of the right length that lost their end with the power. */
class ShardEndsTest extends DcpFormatFixture {
  private static Path zeros(Path folder, String start, int from) throws IOException {
    var shard = DcpFixture.data(300);
    System.arraycopy(bytes(start), 0, shard, 0, start.length());
    Arrays.fill(shard, from, shard.length, (byte) 0);
    DcpFixture.file(folder.resolve("__1_0.distcp"), shard, THEN);
    return folder;
  }

  @Test
  void shouldSayTornWhereAShardEndsInZeros() throws IOException {
    var verdict = judge(zeros(whole(), "PK\3\4", 200));
    assertThat(verdict.kind()).isEqualTo(Kind.TORN);
    assertThat(verdict.reason()).startsWith("__1_0.distcp ends in zeros");
    assertThat(judge(zeros(whole(), "", 0)).kind()).isEqualTo(Kind.TORN);
  }

  /** Tensors without a frame around them may end in zeros. */
  @Test
  void shouldSayUnknownWherePiecesAreKeptAnotherWay() throws IOException {
    assertThat(judge(zeros(whole(), "\1\2\3\4", 200)).kind()).isEqualTo(Kind.UNKNOWN);
  }

  @Test
  void shouldSayValidWhereOnlyAFewBytesAreZero() throws IOException {
    assertThat(judge(zeros(whole(), "PK\3\4", 279)).isValid()).isTrue();
  }

  /** Three of the newest: a recovery goes no further back by itself. */
  @Test
  void shouldReadTheEndsOfTheNewestThreeThatAreComplete() throws IOException {
    for (int step = 10; step <= 60; step += 10) {
      var folder = directory.resolve("step-" + step);
      DcpFixture.write(folder, 2, 3, 100, THEN.plusSeconds(step));
      if (step % 20 == 0) {
        zeros(folder, "PK\3\4", 200);
      }
    }
    var verdicts =
        Scans.of(directory, "auto").checkpoints().stream()
            .map(found -> found.verdict().kind())
            .toList();
    assertThat(verdicts)
        .containsExactly(Kind.TORN, Kind.VALID, Kind.TORN, Kind.VALID, Kind.TORN, Kind.VALID);
  }
}
