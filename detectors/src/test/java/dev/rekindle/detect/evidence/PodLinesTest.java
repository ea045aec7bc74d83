package dev.rekindle.detect.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.Line;
import dev.rekindle.api.RankEvidence.LineKind;
import dev.rekindle.detect.ncclog.LogFact.DeviceError;
import dev.rekindle.detect.ncclog.LogFact.GilStuck;
import dev.rekindle.detect.ncclog.LogFact.PeerClosed;
import dev.rekindle.detect.ncclog.LoggedLine;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PodLinesTest {
  private static final LoggedLine OF_RANK_5 = new LoggedLine(5, Instant.EPOCH, new GilStuck());
  private static final LoggedLine OF_NO_RANK =
      new LoggedLine(-1, Instant.EPOCH, new DeviceError("x"));
  private static final LoggedLine OF_THE_HOST =
      new LoggedLine(-1, Instant.EPOCH, new PeerClosed("gpu-1", "gpu-2"));

  private final PodLines lines = new PodLines();

  private List<LineKind> of(int rank, Set<Integer> ranks) {
    return lines.of("uid", rank, ranks).stream().map(Line::kind).toList();
  }

  @Test
  void shouldGiveLinesToTheRankThatPrintedThem() {
    lines.keep("uid", List.of(OF_NO_RANK, OF_THE_HOST, OF_RANK_5));
    assertThat(of(5, Set.of(5)))
        .containsExactly(LineKind.DEVICE_ERROR, LineKind.PEER_CLOSED, LineKind.GIL_STUCK);
    assertThat(of(5, Set.of(4, 5, 6))).containsExactly(LineKind.GIL_STUCK);
    assertThat(of(4, Set.of(4, 5, 6))).as("the first").containsExactly(LineKind.PEER_CLOSED);
    assertThat(of(6, Set.of(4, 5, 6))).isEmpty();
    assertThat(lines.of("other", 5, Set.of(5))).isEmpty();
  }

  @Test
  void shouldBoundAndForget() {
    lines.keep("uid", Collections.nCopies(100, OF_RANK_5));
    assertThat(of(5, Set.of(5))).hasSize(RankEvidence.MOST_LINES);
    lines.keep("uid", List.of());
    assertThat(of(5, Set.of(5))).isEmpty();
    lines.keep("uid", List.of(OF_RANK_5));
    lines.retain(Set.of("other"));
    assertThat(of(5, Set.of(5))).isEmpty();
  }
}
