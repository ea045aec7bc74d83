package dev.rekindle.simulator.world;

import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.Weighing;
import dev.rekindle.detect.fault.AffectedPod;
import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.fault.FaultState;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.setup.DeviceStack;
import java.time.Duration;
import java.time.Instant;

/** Faults that the machines had before the run began. */
public final class PastFaults {
  private static final Duration LONG_AGO = Duration.ofHours(1);

  private final World world;

  PastFaults(World world) {
    this.world = world;
  }

  /**
   * What two programs did before the run began: each met XID 31 on two nodes, and both on the
   * first.
   */
  public void programHistory(String both, String one, String other) {
    history(both, "job-1", "job-2");
    history(one, "job-1");
    history(other, "job-2");
  }

  /** A GPU of the node was hurting an earlier job, before the run began. */
  public void flakyHistory(String node) {
    world.machine(node).flaky = true;
    history(node, "job-3");
  }

  /**
   * Before the run began programs of two owners met an error in the same unit of a GPU.
   *
   * @param ago since the newer of the two
   * @param one owner of the first of the programs
   * @param other owner of the second
   */
  public void wornUnit(String node, Duration ago, String one, String other) {
    NodeFaultSpec fault =
        worn(node, "XID-13", Hardware.XID + "13, Graphics SM Warp Exception on (GPC 1)");
    observed(fault, ago.plusHours(1), "GPC 1 TPC 2", past(one));
    observed(fault, ago, "GPC 1 TPC 2", past(other));
  }

  /**
   * Before the run began a GPU had as many bursts of an error that no program causes as fence it.
   *
   * @param ago since the newest of them
   */
  public void wornMemory(String node, Duration ago) {
    NodeFaultSpec fault = worn(node, "XID-94", Hardware.XID + "94, Contained memory error");
    for (int i = Weighing.INCIDENTS - 1; i >= 0; i--) {
      observed(fault, ago.plusHours(i), "", AffectedPod.UNKNOWN);
    }
  }

  /** A GPU of the node was lost before the run began, and the node was fenced for it. */
  public void fencedBefore(String node) {
    Machine machine = world.machine(node);
    machine.gpuBroken = true;
    String line = Hardware.XID + "79, GPU has fallen off the bus.";
    machine.log().saidLongAgo(line);
    NodeFaultSpec fault =
        new NodeFaultSpec(
                machine.name(),
                ComponentType.GPU,
                Hardware.GPU,
                "XID-79",
                "kmsg",
                FenceGuidance.ALWAYS,
                "reboot_node",
                machine.bootId(),
                world.now().minus(LONG_AGO),
                line)
            .onNode(machine.nodeUid);
    observed(fault, LONG_AGO, "", AffectedPod.UNKNOWN);
    String by =
        "fault/" + FaultObservation.of(fault, FaultObservation.NO_SEQUENCE, world.now()).name();
    world.nodes().patch(node, n -> n.cordoned(true, by));
  }

  /** A plugin has held a GPU of the node for unhealthy some times, and has started anew since. */
  public void doubted(String node) {
    Machine machine = world.machine(node);
    boolean hami = world.devices().plugins().stack() == DeviceStack.HAMI;
    NodeFaultSpec fault =
        new NodeFaultSpec(
                machine.name(),
                ComponentType.GPU,
                machine.gpuUuid(machine.faultyGpu()),
                hami ? "HAMI-UNHEALTHY" : "DEVICE-UNHEALTHY",
                hami ? "hami" : "device-plugin",
                FenceGuidance.THRESHOLD,
                "investigate",
                "",
                world.now().minus(LONG_AGO),
                "it was held for unhealthy")
            .onNode(machine.nodeUid);
    for (int i = Weighing.INCIDENTS - 1; i > 0; i--) {
      observed(fault, Duration.ofHours(i), "", AffectedPod.UNKNOWN);
    }
    String name = FaultObservation.of(fault, FaultObservation.NO_SEQUENCE, world.now()).name();
    world
        .faults()
        .patch(name, f -> f.with(f.state().cleared(fault.detector(), world.now()).status()));
  }

  private NodeFaultSpec worn(String node, String code, String line) {
    Machine machine = world.machine(node);
    machine.worn.add(code);
    return past(machine, code, line);
  }

  private static AffectedPod past(String job) {
    return new AffectedPod("past", job + "-worker-0", job, job, "python");
  }

  private NodeFaultSpec past(Machine machine, String code, String line) {
    machine.log().saidLongAgo(line);
    return new NodeFaultSpec(
            machine.name(),
            ComponentType.GPU,
            Hardware.GPU,
            code,
            "kmsg",
            FenceGuidance.THRESHOLD,
            "restart_job",
            machine.bootId(),
            world.now().minus(LONG_AGO),
            line)
        .onNode(machine.nodeUid);
  }

  private void observed(NodeFaultSpec fault, Duration ago, String unit, AffectedPod victim) {
    Instant then = world.now().minus(ago);
    write(new FaultObservation(fault, FaultObservation.NO_SEQUENCE, then, unit, victim));
  }

  /** What the agent of a node wrote down an hour ago. */
  private void history(String node, String... jobs) {
    NodeFaultSpec fault = past(world.machine(node), "XID-31", Hardware.MMU_FAULT);
    for (String job : jobs) {
      observed(fault, LONG_AGO, "", past(job));
    }
  }

  private void write(FaultObservation observation) {
    String name = observation.name();
    if (world.faults().find(name).isEmpty()) {
      FaultState fresh = new FaultState(observation.fault(), null);
      world.faults().create(FaultObject.of(Meta.draft("", name, ""), fresh, true));
    }
    world.faults().patch(name, f -> f.with(f.state().observed(observation).status()));
  }
}
