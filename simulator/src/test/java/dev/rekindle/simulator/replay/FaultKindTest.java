package dev.rekindle.simulator.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FaultKindTest {
  @ParameterizedTest
  @CsvSource({
    // As in the InfiniteHBD trace.
    "Hardware Failure, GPU, GPU Lost, GPU_LOST",
    "Hardware Failure, GPU, GPU DBE(Double Bit ECC) > Threshold, ECC",
    "Hardware Failure, GPU, GPU SBE(Single Bit ECC) > Threshold, ECC",
    "Hardware Failure, GPU, GPU PCI link width low, GPU_LOST",
    "Hardware Failure, GPU, nvidia-smi Timeout, GPU_LOST",
    "Hardware Failure, GPU, GPU device unknow error, GPU_LOST",
    "Hardware Failure, GPU, Silent Data Corruption, HANG",
    "Hardware Failure, NIC, NIC Link Speed low, NIC_DOWN",
    "Hardware Failure, NIC, Rnic Gid Error, NIC_DOWN",
    "Hardware Failure, Parameter Plane Cable, Link Down, NIC_DOWN",
    "Hardware Failure, CPU, Machine Check Exception ( Uncorrectable ), NODE_DEAD",
    "Hardware Failure, Fan, Speed Critical (Sensor), NODE_DEAD",
    "Hardware Failure, Power Supply, Power Supply Failure detected, NODE_DEAD",
    "Hardware Failure, Motherboard Battery, Low, NODE_DEAD",
    "Hardware Failure, RAID Card, Bus Correctable error, NODE_DEAD",
    "Hardware Failure, Other Failures, Unknown Error, UNKNOWN",
    "Other Failure, Unknown Error, Unknown Error, UNKNOWN",
    "Other Failure, Change, Remote Optical Module Failure, AWAY",
    "Other Failure, Change, Y-cables Taken offline, AWAY",
    "Other Failure, Stress Test Failure, Unknown Error, AWAY",
    "Other Failure, Test, Temporarily Offline, AWAY",
    "Other Failure, System Crash, Server down, NODE_DEAD",
    "Other Failure, Training Task Troubleshooting, Suspect Machine Offline, HANG",
    "Software Failure, File System, FS Readonly, NODE_DEAD",
    "Software Failure, Operating System, Kernel Panic, NODE_DEAD",
    "Software Failure, Firmware, Firmware mismatch, CRASH",
    "Software Failure, Other Failures, Unknown Error, CRASH",
    "Software Failure, Software Tool, Kubelet Date Absent, CRASH",
    // As in the Llama 3 mix.
    "Hardware Failure, GPU, Faulty GPU, GPU_LOST",
    "Hardware Failure, GPU, GPU HBM3 Memory, ECC",
    "Hardware Failure, GPU, GPU SRAM Memory, ECC",
    "Hardware Failure, GPU, GPU Thermal Interface + Sensor, GPU_LOST",
    "Hardware Failure, Network, Network Switch/Cable, NIC_DOWN",
    "Hardware Failure, Host, NIC, NIC_DOWN",
    "Hardware Failure, Host, System Memory, NODE_DEAD",
    "Hardware Failure, Host, IO Expansion Board, NODE_DEAD",
    "Other Failure, Unplanned Maintenance, Host Maintenance, NODE_DEAD",
    "Other Failure, Unknown, NCCL Watchdog Timeouts, HANG",
    "Software Failure, Dependency, Software Bug, CRASH",
    // Words inside other words say nothing.
    "?, ?, mechanical, UNKNOWN",
    "'', '', '', UNKNOWN",
  })
  void shouldTakeTheNearestLever(String level, String category, String description, String kind) {
    Outage outage =
        new Outage("n", Duration.ZERO, Duration.ofDays(1), level, category, description);
    // A kind that no rule gives to these rows marks what falls through.
    for (FaultKind unknown : new FaultKind[] {FaultKind.NODE_DEAD, FaultKind.GPU_LOST}) {
      FaultKind expected = kind.equals("UNKNOWN") ? unknown : FaultKind.valueOf(kind);
      assertThat(FaultKind.of(outage, unknown)).isEqualTo(expected);
    }
  }
}
