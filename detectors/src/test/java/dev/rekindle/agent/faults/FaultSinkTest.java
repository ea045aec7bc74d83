package dev.rekindle.agent.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.agent.app.AgentClient;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.detect.kernelfault.JudgeFile;
import dev.rekindle.detect.kmsg.Boot;
import dev.rekindle.detect.kmsg.UndeliveredException;
import dev.rekindle.detect.state.StateFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a kernel record means by itself, and what is remembered of those before. */
class FaultSinkTest extends FaultSinkFixture {
  private static final Boot NEXT = new Boot("boot-2", Instant.parse("2026-01-01T12:00:00Z"));

  private static String twin() {
    return "NVRM: GPU 0000:3b:00.0: GPU has fallen off the bus.";
  }

  private static String offTheBus() {
    return "NVRM: Xid (PCI:0000:3b:00): 79, pid=7, name=python, GPU has fallen off the bus.";
  }

  /** However often a program crashes: what that means is weighed where all nodes are seen. */
  @Test
  void shouldStateFactsAndNotWeighWhatComesAgain() {
    for (int i = 0; i < 20; i++) {
      log(i, 1000L * i, exception(1));
      assertThat(fence()).isEqualTo(FenceGuidance.THRESHOLD);
      assertThat(written.getLast().unit()).isEqualTo("GPC 1 TPC 2");
      assertThat(written.getLast().victim().process()).isEqualTo("python");
      assertThat(written.getLast().fault().action()).isEqualTo("restart_job");
      assertThat(written.getLast().fault().evidence()).isEqualTo(exception(1));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "NVRM: Xid (PCI:0000:3b:00): 31, pid=7, name=x, Ch 8|THRESHOLD|",
        "NVRM: Xid (PCI:0000:3b:00): 32, pid=7, name=x, Ch 8|THRESHOLD|",
        "NVRM: Xid (PCI:0000:3b:00): 109, pid=7, name=x, CTX SWITCH TIMEOUT|THRESHOLD|",
        "NVRM: Xid (PCI:0000:3b:00): 43, pid=7, name=x, Ch 8|NEVER|",
        "NVRM: Xid (PCI:0000:3b:00): 94, pid=7, name=x, Contained: SM. RST: No|THRESHOLD|contained",
        "NVRM: Xid (PCI:0000:3b:00): 94, pid=7, name=x, Contained: SM. RST: Yes|ALWAYS|reset",
        "NVRM: Xid (PCI:0000:3b:00): 63, Row Remapper: New row|THRESHOLD|",
        "NVRM: Xid (PCI:0000:3b:00): 149, NETIR_LINK_EVT Fatal XC0 i0 Link 9 (0x02600000)"
            + "|NEVER|host",
        "EXT4-fs (rbd0): Remounting filesystem read-only|NEVER|other",
        "Memory failure: 0x1: Killing x:7 due to hardware memory corruption|THRESHOLD|other",
      })
  void shouldSayOfARecordByItselfWhetherItFences(
      String line, FenceGuidance fence, @Nullable String mark) {
    log(1, 0, line);
    assertThat(fence()).isEqualTo(fence);
    assertThat(written.getLast().mark()).isEqualTo(mark == null ? "" : mark);
  }

  @Test
  void shouldKnowAnEchoWhenTheAgentIsStartedAgainAndNotAfterAReboot() {
    log(1, 0, offTheBus());
    sink = start(BOOT);
    log(2, 10, twin());
    assertThat(written).hasSize(1);
    sink = start(NEXT);
    log(1, 20, twin());
    assertThat(written).hasSize(2);
    assertThat(fence()).isEqualTo(FenceGuidance.ALWAYS);
  }

  /** An echo comes within five minutes. */
  @ParameterizedTest
  @CsvSource({"10, 0, 9, 1", "400, 9, 0, 2", "10, 9, 0, 1"})
  void shouldKnowAnEchoByTheTimeBetweenTheRecordsWhenTheClockWasSet(
      long second, long before, long after, int reported) {
    ahead = Duration.ofHours(before);
    log(1, 0, offTheBus());
    ahead = Duration.ofHours(after);
    log(2, second, twin());
    assertThat(written).hasSize(reported);
  }

  @Test
  void shouldCountNothingTwiceWhenTheLogIsReplayed() {
    log(1, 0, exception(1));
    now = now.plusSeconds(6);
    log(2, 5000, exception(3));
    sink = start(BOOT);
    log(1, 0, exception(1));
    log(2, 5000, exception(3));
    assertThat(written).hasSize(2);
    log(3, 5001, exception(4));
    assertThat(written).hasSize(3);
  }

  @Test
  void shouldCountOnceWhatCouldNotBeWritten() {
    away = true;
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> log(1, 0, exception(1))).isInstanceOf(UndeliveredException.class);
      assertThatThrownBy(
              () ->
                  log(
                      1,
                      0,
                      "NVRM: Xid (PCI:0000:3b:00): 154, GPU recovery action changed from 0x1 (GPU"
                          + " Reset Required) to 0x0 (None)"))
          .isInstanceOf(UndeliveredException.class);
    }
    away = false;
    log(1, 0, exception(1));
    assertThat(written).hasSize(1);
  }

  @Test
  void shouldStartAgainWhenItsFileIsBroken() throws IOException {
    Files.writeString(directory.resolve("judge"), "{\"version\":");
    sink = start(BOOT);
    log(1, 0, exception(1));
    assertThat(written).hasSize(1);
  }

  @Test
  void shouldClearTheGpuWhenTheDriverGivesTheAllClear() {
    log(
        1,
        10,
        "NVRM: Xid (PCI:0000:3b:00): 154, GPU recovery action changed from 0x1 (GPU Reset Required)"
            + " to 0x0 (None)");
    assertThat(written).isEmpty();
    assertThat(cleared)
        .singleElement()
        .satisfies(
            clearance -> {
              assertThat(clearance.componentType()).isEqualTo(ComponentType.GPU);
              assertThat(clearance.componentId()).isEqualTo("0000:3b:00");
              assertThat(clearance.codes()).isEmpty();
              assertThat(clearance.by()).isEqualTo("driver");
            });
  }

  @Test
  void shouldWriteNothingForWhatIsIgnored() {
    log(1, 0, "NVRM: Xid (PCI:0000:3b:00): 45, pid=7, name=python, Ch 8");
    assertThat(written).isEmpty();
  }

  @Test
  void shouldNameTheSwitchAndTheNic() {
    log(1, 0, "nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 48 LTSSM Fault Up");
    assertThat(written.getLast().fault().componentType()).isEqualTo(ComponentType.NVSWITCH);
    assertThat(written.getLast().fault().code()).isEqualTo("SXID-20034");
    log(
        2,
        0,
        "mlx5_core 0000:d2:00.0: poll_health:825: device's health compromised - reached miss"
            + " count");
    assertThat(written.getLast().fault().componentType()).isEqualTo(ComponentType.NIC);
    assertThat(written.getLast().fault().code()).isEqualTo("MLX5-HEALTH-LOST");
    assertThat(written.getLast().name()).isEqualTo("node-1.0000-d2-00.mlx5-health-lost");
  }

  @Test
  void shouldWriteItsMemoryAtOnceForNewsAndSeldomInAStorm() throws IOException {
    log(1, 0, exception(1));
    var file = directory.resolve("judge");
    var first = Files.readString(file);
    for (int i = 2; i < 100; i++) {
      log(i, 1, exception(1));
    }
    assertThat(Files.readString(file)).isEqualTo(first);
    now = now.plusSeconds(6);
    log(100, 2, exception(1));
    assertThat(Files.readString(file)).isNotEqualTo(first);
    log(101, 3, exception(1));
    sink.close();
    assertThat(
            new JudgeFile(new StateFolder(directory, AgentClient.json()))
                .read()
                .orElseThrow()
                .sequence())
        .isEqualTo(101);
  }
}
