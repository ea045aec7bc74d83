package dev.rekindle.simulator.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.detect.fault.FaultState;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.world.FaultObject;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What an agent may quote from a kernel log. */
class TrueFaultsTest extends WatchedCluster {
  @Test
  void shouldPassWhatTheKernelHasLogged() {
    simulation.world().hardware().rowRemapFails("node-1");
    simulation.world().hardware().forgesKernelLine("node-1");
    simulation.runFor(Duration.ofSeconds(10));

    assertThat(simulation.world().faults().list()).hasSize(1);
    assertThat(invariants.violation()).isEmpty();
  }

  @Test
  void shouldFindAnAgentThatTakesAProcessForTheKernel() {
    NodeFaultSpec forged =
        new NodeFaultSpec(
            "node-1",
            ComponentType.GPU,
            "0000:3b:00",
            "XID-79",
            "kmsg",
            FenceGuidance.ALWAYS,
            "reboot_node",
            "node-1-boot-1",
            simulation.now(),
            "NVRM: Xid (PCI:0000:3b:00): 79, pid=4321, GPU has fallen off the bus.");
    simulation
        .world()
        .faults()
        .create(FaultObject.of(Meta.draft("", "forged", ""), new FaultState(forged, null), true));

    assertThat(invariants.violation())
        .hasValueSatisfying(v -> assertThat(v.invariant()).isEqualTo(Invariant.TRUE_FAULTS));
  }
}
