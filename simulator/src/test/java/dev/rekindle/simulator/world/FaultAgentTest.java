package dev.rekindle.simulator.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.NodeFaultStatus;
import dev.rekindle.api.NodeFaultStatus.State;
import dev.rekindle.simulator.Given;
import dev.rekindle.simulator.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Three ranks on node-0 to node-2: what the agents that ship make of the kernel logs there. */
class FaultAgentTest {
  private static final String NODE = "node-1";
  private static final String BUS = "node-1.0000-3b-00.xid-79";
  private static final String APPLICATION = "node-1.0000-3b-00.xid-43";
  private static final Duration SOON = Duration.ofSeconds(3);

  private final Simulation simulation =
      Simulation.of(Given.cluster(4, Given.job().newestByItself().setup()));

  private final World world = simulation.world();
  private final Hardware hardware = world.hardware();

  @BeforeEach
  void train() {
    simulation.runFor(Duration.ofSeconds(20));
  }

  @AfterEach
  void close() {
    simulation.close();
  }

  private NodeFaultStatus status(String fault) {
    return Objects.requireNonNull(world.faults().get(fault).state().status());
  }

  private boolean there(String fault) {
    return world.faults().find(fault).isPresent();
  }

  @Test
  void shouldStateWhatTheKernelLogSays() {
    hardware.gpuLost(NODE);
    simulation.runFor(SOON);

    NodeFaultSpec spec = world.faults().get(BUS).state().spec();
    assertThat(spec.fence()).isEqualTo(FenceGuidance.ALWAYS);
    assertThat(spec.detector()).isEqualTo("kmsg");
    assertThat(spec.bootId()).isEqualTo(world.machine(NODE).bootId());
    assertThat(spec.nodeUid()).isEqualTo(world.nodes().get(NODE).meta().uid());
    assertThat(status(BUS).incidents())
        .singleElement()
        .satisfies(
            incident -> {
              assertThat(incident.owner()).isEqualTo(Given.KEY.name());
              assertThat(incident.pod()).isNotEmpty();
            });
  }

  @Test
  void shouldReadWhatWasLoggedWhileItWasDead() {
    world.nodeAgents().dies(NODE, Duration.ofSeconds(30));
    hardware.gpuLost(NODE);
    simulation.runFor(Duration.ofSeconds(20));
    assertThat(there(BUS)).isFalse();

    simulation.runFor(Duration.ofSeconds(15));
    assertThat(there(BUS)).isTrue();
  }

  @Test
  void shouldNeverLearnOfWhatWasLostWithThePower() {
    world.nodeAgents().dies(NODE, Duration.ofSeconds(30));
    hardware.gpuLost(NODE);
    simulation.runFor(SOON);
    world.nodeOutages().powerOff(NODE);
    world.nodeOutages().rebooted(NODE, Duration.ofSeconds(10));
    simulation.runFor(Duration.ofMinutes(2));

    assertThat(there(BUS)).isFalse();
  }

  @Test
  void shouldReadOnPastAFaultThatMayNotBeWritten() {
    world.nodeAgents().refused(NODE, 403, Duration.ofSeconds(40));
    hardware.gpuLost(NODE);
    simulation.runFor(SOON);
    hardware.applicationXid(NODE);
    simulation.runFor(Duration.ofSeconds(30));
    assertThat(world.faults().list()).isEmpty();

    simulation.runFor(Duration.ofMinutes(2));
    assertThat(there(BUS)).isTrue();
    assertThat(there(APPLICATION)).isTrue();
  }

  @Test
  void shouldOfferAFaultAgainAfterTheNodeWasCutOff() {
    world.nodeOutages().cutOff(NODE);
    hardware.gpuLost(NODE);
    simulation.runFor(Duration.ofMinutes(3));
    assertThat(there(BUS)).isFalse();

    world.nodeOutages().back(NODE);
    simulation.runFor(Duration.ofSeconds(10));
    assertThat(there(BUS)).isTrue();
  }

  @Test
  void shouldTakeNoProcessForTheKernel() {
    hardware.forgesKernelLine(NODE);
    simulation.runFor(Duration.ofMinutes(5));

    assertThat(world.faults().list()).isEmpty();
  }

  @Test
  void shouldCountARecordOnceThoughItIsReadTwice() {
    world.nodeAgents().diskFull(NODE, Duration.ofMinutes(5));
    hardware.gpuLost(NODE);
    simulation.runFor(SOON);
    world.nodeAgents().dies(NODE, Duration.ofSeconds(5));
    simulation.runFor(Duration.ofSeconds(20));

    assertThat(status(BUS).count()).isEqualTo(1);
  }

  @Test
  void shouldWriteAStormOfOneFaultOnceASecond() {
    List<String> writes = new ArrayList<>();
    world.faults().watch(change -> writes.add(change.key()));
    for (int i = 0; i < 50; i++) {
      hardware.applicationXid(NODE);
    }
    simulation.runFor(Duration.ofSeconds(10));

    assertThat(status(APPLICATION).count()).isEqualTo(50);
    assertThat(writes).as("the object, its status, the repeats of a second").hasSizeLessThan(5);
  }

  @Test
  void shouldClearAFaultOnceTheDriverHasResetTheGpu() {
    hardware.gpuLost(NODE);
    simulation.runFor(SOON);
    hardware.driverClears(NODE);
    simulation.runFor(SOON);

    assertThat(status(BUS).state()).isEqualTo(State.CLEARED);
    assertThat(status(BUS).clearedBy()).isEqualTo("driver");
  }

  @Test
  void shouldStateAPortThatIsDownOnceItsAgentRunsAgain() {
    world.nodeAgents().dies(NODE, Duration.ofSeconds(30));
    hardware.nicDown(NODE);
    simulation.runFor(Duration.ofSeconds(20));
    assertThat(world.faults().list()).isEmpty();

    simulation.runFor(Duration.ofSeconds(15));
    assertThat(there("node-1.mlx5-0-1.nic-port-down")).isTrue();
  }
}
