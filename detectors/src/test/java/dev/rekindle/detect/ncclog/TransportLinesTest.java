package dev.rekindle.detect.ncclog;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.Transport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class TransportLinesTest {
  private static final String GPU_0 = "h:7:70 [0] NCCL INFO ";
  private static final String NEXT_0 = "h:9:90 [0] NCCL INFO ";

  private final TransportLines lines = new TransportLines();

  static Stream<Arguments> files() {
    var four = List.of("mlx5_0", "mlx5_1", "mlx5_2", "mlx5_3");
    return Stream.of(
        Arguments.of(
            "nccl-2.21-roce",
            new Transport(2, 2, 0, List.of("IB"), four, 4, 4, 4, 0, "2.21.5+cuda12.4")),
        Arguments.of(
            "nccl-2.21-socket",
            new Transport(1, 0, 1, List.of("Socket"), List.of(), 0, 0, 0, 2, "")),
        Arguments.of(
            "nccl-2.7-staged",
            new Transport(1, 1, 0, List.of("IB"), List.of("mlx5_0"), 1, 2, 0, 0, "")),
        Arguments.of(
            "nccl-2.30-sharp",
            new Transport(
                1,
                1,
                0,
                List.of("IB"),
                List.of("mlx5_0", "mlx5_3"),
                2,
                1,
                1,
                0,
                "2.30.7+cuda13.0")),
        Arguments.of(
            "aws-ofi-efa",
            new Transport(1, 1, 0, List.of("AWS Libfabric"), List.of(), 0, 1, 1, 0, "")));
  }

  @ParameterizedTest
  @MethodSource("files")
  void shouldAddUpWhatEachVersionPrints(String file, Transport expected) throws IOException {
    try (var in = TransportLinesTest.class.getResourceAsStream(file + ".txt")) {
      new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .forEach(lines::take);
    }
    assertThat(lines.transport()).contains(expected);
  }

  @Test
  void shouldKnowNothingWithoutALineThatNamesANetwork() {
    lines.take("step 12 loss 1.5");
    lines.take("NCCL version 2.21.5+cuda12.4");
    lines.take(GPU_0 + "NET/IB : Using [0]mlx5_0:1/RoCE ; OOB eth0:10.0.0.1<0>");
    lines.take("a script that says Using network Socket");
    assertThat(lines.transport()).isEmpty();
  }

  @Test
  void shouldCountAProcessWithOneChannelOverTcpAsOnTcp() {
    lines.take(GPU_0 + "Using network IB");
    lines.take(GPU_0 + "Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0/GDRDMA");
    lines.take(GPU_0 + "Channel 01/0 : 0[0] -> 8[0] [send] via NET/Socket/0");
    assertThat(lines.transport())
        .hasValueSatisfying(
            t -> {
              assertThat(t.socketRanks()).isEqualTo(1);
              assertThat(t.rdmaRanks()).isZero();
            });
  }

  @Test
  void shouldTakeTheProcessThatALauncherHasStartedForTheOneBeforeIt() {
    lines.take(GPU_0 + "Using network Socket");
    lines.take(NEXT_0 + "Using network IB");
    assertThat(lines.transport())
        .hasValueSatisfying(t -> assertThat(t.networks()).containsExactly("IB"));
  }

  @Test
  void shouldCountProcessesThatEachSeeOneGpuWhileBothPrint() {
    lines.take(GPU_0 + "Using network Socket");
    lines.take(NEXT_0 + "Using network IB");
    lines.take(GPU_0 + "Channel 01/0 : 0[0] -> 8[0] [send] via NET/Socket/0");
    assertThat(lines.transport())
        .hasValueSatisfying(
            t -> {
              assertThat(t.ranks()).isEqualTo(2);
              assertThat(t.socketRanks()).isEqualTo(1);
              assertThat(t.rdmaRanks()).isEqualTo(1);
            });
  }

  @Test
  void shouldNotSayWhetherAnUnknownPluginIsRdma() {
    lines.take(GPU_0 + "Using network GIB");
    assertThat(lines.transport())
        .hasValueSatisfying(t -> assertThat(t.rdmaRanks() + t.socketRanks()).isZero());
  }

  @Test
  void shouldForgetAllWhenTheContainerStartsAgain() {
    lines.take(GPU_0 + "Using network IB");
    lines.clear();
    assertThat(lines.transport()).isEmpty();
  }

  @Test
  void shouldStayBoundedWhateverIsPrinted() {
    for (int i = 0; i < 10_000; i++) {
      lines.take("h:%d:1 [%d] NCCL INFO Using network N%d".formatted(i, i, i));
      lines.take("h:1:1 [1] NCCL INFO Channel 0 : a -> b via NET/N%d/0".formatted(i));
    }
    assertThat(lines.transport())
        .hasValueSatisfying(
            t -> {
              assertThat(t.ranks()).isEqualTo(Transport.MOST_RANKS);
              assertThat(t.networks()).hasSize(Transport.MOST_NETWORKS);
            });
  }
}
