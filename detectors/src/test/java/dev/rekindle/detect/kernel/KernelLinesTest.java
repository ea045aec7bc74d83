package dev.rekindle.detect.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KernelLinesTest {
  static Finding read(String message) {
    return KernelLines.read(ParserState.EMPTY, message)
        .finding()
        .orElseThrow(() -> new AssertionError("not read: " + message));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "13|Graphics SM Warp Exception on (GPC 7, TPC 3, SM 0): Illegal Instruction||GPC 7 TPC 3",
        "13|Graphics Exception: ESR 0x57c730=0xc04000b||''",
        "31|Ch 8, intr 0. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_3 faulted @ 0x7f||GRAPHICS"
            + " GPCCLIENT_T1_3",
        "31|Ch 8. MMU Fault: ENGINE GRAPHICS GPC2 GPCCLIENT_T1_3 faulted||GRAPHICS GPC2"
            + " GPCCLIENT_T1_3",
        "31|Ch 8. MMU Fault: ENGINE CE0 HUBCLIENT_CE0 faulted @ 0x0||CE0 HUBCLIENT_CE0",
        "74|NVLink: fatal error detected on link 14(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0,"
            + " 0x0)|repeated|link 14",
        "74|NVLink: fatal error detected on link 6(0x10, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)|ecc|link 6",
        "74|NVLink: fatal error detected on link 6(0x10010, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)|ecc|link"
            + " 6",
        "74|NVLink: fatal error detected on link 6(0x10000002, 0x0, 0x0, 0x0, 0x0, 0x0,"
            + " 0x0)|mechanical|link 6",
        "74|NVLink: fatal error detected on link 6(0x400000, 0x0, 0x0, 0x0, 0x0, 0x0,"
            + " 0x0)|signal|link 6",
        "74|NVLink: fatal error detected on link 6(0x8000000, 0x0, 0x0, 0x0, 0x0, 0x0,"
            + " 0x0)|repeated|link 6",
        "74|NVLink: fatal error detected on link 6(0x0, 0x0, 0x0, 0x0, 0x20000000, 0x0,"
            + " 0x0)|threshold|link 6",
        "74|NVLink: fatal error detected on link 6(0x0, 0x0, 0x0, 0x0, 0x40000, 0x0, 0x0)|ecc|link"
            + " 6",
        "74|NVLink: fatal error detected on link 6(0x100003, 0x0, 0x0, 0x0, 0x0, 0x0,"
            + " 0x0)|secondary|link 6",
        "74|NVLink: fatal error detected on link 6(0x0, 0x0, 0x0, 0x20000, 0x0, 0x0,"
            + " 0x0)|secondary|link 6",
        "74|NVLink: fatal error detected on link 6(0x40800001, 0x0, 0x0, 0x0, 0x0, 0x0,"
            + " 0x0)|harmless|link 6",
        "74|NVLink: fatal error detected on link 6(0x80000001, 0x0, 0x0, 0x0, 0x0, 0x0,"
            + " 0x0)|unknown|link 6",
        "74|NVLink: fatal error detected on link 6(0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)|unknown|link"
            + " 6",
        "94|Contained: CE User Channel (0x9). RST: No, D-RST: No|contained|''",
        "94|Contained: CE User Channel (0x9). RST: No, D-RST: Yes|drain-and-reset|''",
        "95|Uncontained: LTC TAG (0x2, 0x1). RST: Yes, D-RST: No|reset|''",
        "95|Uncontained: FBHUB. RST: No, D-RST: No|uncontained|''",
        "149|NETIR_LINK_EVT Fatal XC0 i0 Link 08 (0x004505c6 0x00000000)|fatal|NETIR_LINK_EVT link"
            + " 8",
        "144|SAW/MVB Nonfatal XC1 i1 Link -1 (0x004505c6 0x00000000)|nonfatal|SAW/MVB",
        "154|GPU recovery action changed from 0x1 (GPU Reset Required) to 0x0 (None)|none|''",
        "154|GPU recovery action changed from 0x0 (None) to 0x4 (Drain and"
            + " Reset)|drain-and-reset|''",
      })
  void shouldReadMarkAndUnit(String code, String text, String mark, String unit) {
    var finding = read("NVRM: Xid (PCI:0000:3b:00): " + code + ", pid=7, name=python, " + text);
    assertThat(finding.code()).isEqualTo(code);
    assertThat(finding.mark()).isEqualTo(mark == null ? "" : mark);
    assertThat(finding.unit()).isEqualTo(unit);
    assertThat(finding.processName()).isEqualTo("7 python");
  }

  @Test
  void shouldAttributeToTheInstanceOfAPartitionedGpu() {
    assertThat(read("NVRM: Xid (PCI:0000:01:00 GPU-I:05): 43, Ch 8").unit()).isEqualTo("MIG 5");
    assertThat(
            read("NVRM: Xid (PCI:0000:01:00 GPU-I:05 GPU-CI:00): 13, Graphics SM Warp Exception on"
                    + " (GPC 1, TPC 2, SM 0): x")
                .unit())
        .isEqualTo("MIG 5/0 GPC 1 TPC 2");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "mlx5_core 0000:3b:00.1 ens1f1np1: RX timeout on channel: 3, ICOSQ: 0x1|.1",
        "mlx5_core 0000:3b:00.0: Port module event: module 0, Cable unplugged|.0",
        "mlx5_core 0000:3b:00.A ens1f1np1: Link down|.a",
        "mlx5_core ens1f1np1: Link down|ens1f1np1",
        "mlx5_core: Link down|''",
        "NETDEV WATCHDOG: ens1f0np0 (mlx5_core): transmit queue 12 timed out|ens1f0np0",
        "mlx5_core 0000:3b:00.1 ens1f1np1: NETDEV WATCHDOG: CPU: 5: transmit queue 1 timed out|.1",
        // The firmware is one for all ports of a card.
        "mlx5_core 0000:3b:00.1: poll_health:825: device's health compromised - reached miss"
            + " count|''",
        "mlx5_core 0000:3b:00.1: poll_health:840:(pid 0): Fatal error 3 detected|''",
        "mlx5_core 0000:3b:00.1: wait_func:1195:(pid 9): ENABLE_HCA(0x104) timeout. Will cause a"
            + " leak of a command resource|''",
        "mlx5_core 0000:3b:00.1: Detected insufficient power on the PCIe slot (27W).|''",
      })
  void shouldDistinguishAPortFromItsCard(String line, String port) {
    assertThat(read(line).port()).isEqualTo(port);
  }

  @Test
  void shouldRememberTheNamesOfGpus() {
    var memory = ParserState.EMPTY;
    for (var line :
        List.of(
            "NVRM: GPU at PCI:0000:91:00: GPU-11111111-2222-3333-4444-555555555555",
            "NVRM: GPU Board Serial Number: 1652421000123",
            "NVRM: GPU at 0000:03:00: GPU-b850f46d-d5ea-c752-ddf3-c4453e44d3f7")) {
      memory = KernelLines.read(memory, line).memory();
    }
    assertThat(memory.gpus())
        .containsEntry(
            "0000:91:00", new GpuName("GPU-11111111-2222-3333-4444-555555555555", "1652421000123"))
        .containsEntry("0000:03:00", new GpuName("GPU-b850f46d-d5ea-c752-ddf3-c4453e44d3f7", ""));
    for (int gpu = 0; gpu < 200; gpu++) {
      var line = "NVRM: GPU at PCI:%04x:00:00: GPU-11111111".formatted(gpu);
      memory = KernelLines.read(memory, line).memory();
    }
    assertThat(memory.gpus()).hasSize(64);
  }

  @Test
  void shouldForgetAMessageThatIsNotFinished() {
    var memory = KernelLines.read(ParserState.EMPTY, "NVRM: The NVIDIA GPU 0000:b3:00.0").memory();
    for (int line = 0; line < 8; line++) {
      memory = KernelLines.read(memory, "something else").memory();
    }
    assertThat(
            KernelLines.read(memory, "NVRM: fallen off the bus and is not responding to commands.")
                .finding())
        .isEmpty();
  }
}
