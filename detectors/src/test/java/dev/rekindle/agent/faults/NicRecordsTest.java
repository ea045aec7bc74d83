package dev.rekindle.agent.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.kmsg.UndeliveredException;
import dev.rekindle.detect.rdma.NicNames;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which RDMA ports a kernel record is about. */
class NicRecordsTest extends FaultSinkFixture {
  /** A card of two ports, and one of one. */
  private void readNics() {
    nics =
        new NicNames(
            List.of(
                new NicNames.Port("mlx5_0/1", "mlx5_0", "0000:3b:00.0", Set.of("ens1f0np0")),
                new NicNames.Port("mlx5_1/1", "mlx5_1", "0000:3b:00.1", Set.of("ens1f1np1")),
                new NicNames.Port("mlx5_2/1", "mlx5_2", "0000:d2:00.0", Set.of("ib2"))));
  }

  private List<String> names() {
    return written.stream().map(FaultObservation::name).toList();
  }

  @Test
  void shouldNameThePortsOfACardWhoseFirmwareHasFailed() {
    readNics();
    log(
        1,
        0,
        "mlx5_core 0000:d2:00.0: poll_health:825: device's health compromised - reached miss"
            + " count.");
    assertThat(names()).containsExactly("node-1.mlx5-2-1.mlx5-health-lost");
    assertThat(written.getFirst().fault().componentType()).isEqualTo(ComponentType.NIC);
    assertThat(written.getFirst().fault().componentId()).isEqualTo("mlx5_2/1");
    written.clear();
    log(2, 0, "mlx5_core 0000:3b:00.1: poll_health:840:(pid 0): Fatal error 3 detected");
    assertThat(names())
        .containsExactly("node-1.mlx5-0-1.mlx5-fatal-error", "node-1.mlx5-1-1.mlx5-fatal-error");
    assertThat(written).allMatch(s -> s.fault().fence() == FenceGuidance.ALWAYS);
  }

  @Test
  void shouldReportEachPortWhereBothFunctionsOfACardShowIt() {
    readNics();
    var line =
        "mlx5_core 0000:3b:00.%d: print_health_info:431:(pid 0): Health issue observed, firmware"
            + " internal error, severity(3) ERROR:";
    log(1, 0, line.formatted(0));
    log(2, 1, line.formatted(1));
    assertThat(written).hasSize(4).allMatch(s -> s.fault().fence() == FenceGuidance.THRESHOLD);
  }

  @Test
  void shouldNameThePortThatALineIsAbout() {
    readNics();
    log(1, 0, "mlx5_core 0000:3b:00.1 ens1f1np1: TX timeout detected");
    log(2, 1, "NETDEV WATCHDOG: ens1f1np1 (mlx5_core): transmit queue 12 timed out");
    log(
        3,
        2,
        "mlx5_core 0000:3b:00.0: Port module event[error]: module 0, Cable error, High"
            + " Temperature");
    assertThat(names())
        .containsExactly(
            "node-1.mlx5-1-1.mlx5-transmit-timeout",
            "node-1.mlx5-1-1.mlx5-transmit-timeout",
            "node-1.mlx5-0-1.mlx5-high-temperature");
    assertThat(written).allMatch(s -> s.fault().fence() == FenceGuidance.THRESHOLD);
  }

  @Test
  void shouldLeaveTheStateOfALinkToThePortThatIsRead() {
    readNics();
    var down = "mlx5_core 0000:3b:00.%d ens1f0np0: Link down";
    log(1, 0, down.formatted(0));
    assertThat(names()).containsExactly("node-1.mlx5-0-1.mlx5-link-down");
    assertThat(fence()).isEqualTo(FenceGuidance.NEVER);
    // Of a function that no one reads, a virtual one say, the log alone says.
    log(2, 1, down.formatted(2));
    assertThat(names().getLast()).isEqualTo("node-1.0000-3b-00.mlx5-link-down");
    assertThat(fence()).isEqualTo(FenceGuidance.THRESHOLD);
  }

  @Test
  void shouldWriteTheOtherPortWhenTheFirstWasWrittenAndItFailed() {
    readNics();
    var line = "mlx5_core 0000:3b:00.1: poll_health:840:(pid 0): Fatal error 3 detected";
    refused = "node-1.mlx5-1-1.mlx5-fatal-error";
    assertThatThrownBy(() -> log(1, 0, line)).isInstanceOf(UndeliveredException.class);
    refused = "";
    log(1, 0, line);
    assertThat(Set.copyOf(names()))
        .containsExactlyInAnyOrder(
            "node-1.mlx5-0-1.mlx5-fatal-error", "node-1.mlx5-1-1.mlx5-fatal-error");
  }
}
