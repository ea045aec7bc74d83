package dev.rekindle.simulator.world;

import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.Weighing;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.detect.fault.AffectedPod;
import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.fault.FaultResolution;
import dev.rekindle.detect.fault.FaultState;
import dev.rekindle.simulator.api.Meta;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.TreeSet;

/**
 * What breaks in the machines, and what their kernels log of it. Which fault it is, and what
 * follows, the agents say.
 */
public final class Hardware {
  /** From a fault of the hardware to the line in the kernel log, or to the poll of a detector. */
  private static final Duration NOTICED = Duration.ofMillis(300);

  private static final Duration LONG_AGO = Duration.ofHours(1);

  private static final String GPU = "0000:3b:00";
  private static final String UUID = "GPU-5b1c0d3e-6f5a-4c0e-9d5f-3b0000000000";
  private static final String XID = "NVRM: Xid (PCI:" + GPU + "): ";
  private static final String VANISHED = "NVML-GPU-LOST";
  private static final String MMU_FAULT = XID + "31, pid=1234, name=python, MMU Fault";

  private final World world;

  Hardware(World world) {
    this.world = world;
  }

  /** The kernel logs this in a moment, unless the machine stops before. */
  private void logs(Machine machine, String... lines) {
    noticed(
        machine,
        () -> {
          for (String line : lines) {
            world.nodeAgents().kernelSays(machine, line);
          }
        });
  }

  /** In a moment, unless the machine stops before. */
  private void noticed(Machine machine, Runnable then) {
    String boot = machine.bootId();
    world
        .loop()
        .after(
            world.jitter(NOTICED),
            () -> {
              if (machine.powered && machine.bootId().equals(boot)) {
                then.run();
              }
            });
  }

  /** A GPU of the node is gone for the driver. */
  public void gpuLost(String node) {
    Machine machine = world.machine(node);
    if (machine.powered) {
      machine.gpuBroken = true;
      logs(machine, XID + "79, GPU has fallen off the bus.");
      world.gangs().each(gang -> gang.deviceLost(machine, false));
    }
  }

  /** A GPU of the node has met an uncontained memory error; the process on it dies. */
  public void eccError(String node) {
    Machine machine = world.machine(node);
    if (machine.powered) {
      machine.gpuBroken = true;
      logs(machine, XID + "95, Uncontained: FBHUB. RST: Yes, D-RST: No");
      world.gangs().each(gang -> gang.deviceLost(machine, true));
    }
  }

  /**
   * A GPU of the node cannot remap a broken row of its memory: it computes on until the row is
   * used.
   */
  public void rowRemapFails(String node) {
    logs(world.machine(node), XID + "64, Row remapping failure");
  }

  /** The fabric port of the node has gone down. */
  public void nicDown(String node) {
    Machine machine = world.machine(node);
    machine.networkBroken = true;
    noticed(
        machine,
        () -> {
          if (machine.networkBroken) {
            world.nodeAgents().sees(machine, portDown(machine));
          }
        });
    world.gangs().each(Gang::update);
  }

  private FaultObservation portDown(Machine machine) {
    Instant now = world.now();
    return FaultObservation.of(
        new NodeFaultSpec(
            machine.name(),
            ComponentType.NIC,
            "mlx5_0/1",
            "NIC-PORT-DOWN",
            "nic",
            FenceGuidance.ALWAYS,
            "investigate",
            machine.bootId(),
            now,
            "mlx5_0 port 1: state 1: DOWN, phys_state 3: Disabled"),
        FaultObservation.NO_SEQUENCE,
        now);
  }

  /** A fault that only the application causes: written down, never a reason to fence. */
  public void applicationXid(String node) {
    logs(world.machine(node), XID + "43, pid=1234, name=python, Ch 00000008");
  }

  /**
   * A program makes a mistake on all of its GPUs that one of them alone might have made as well.
   */
  public void programXid(JobKey job) {
    Set<String> hit = new TreeSet<>();
    world.podsOf(job).stream().map(PodObject::node).filter(n -> !n.isEmpty()).forEach(hit::add);
    if (hit.size() > 1) {
      hit.forEach(node -> logs(world.machine(node), MMU_FAULT));
    }
  }

  /** A faulty GPU causes an MMU fault, and damages the process that runs there. */
  public void flakyXid(String node) {
    Machine machine = world.machine(node);
    machine.flaky = true;
    logs(machine, MMU_FAULT);
  }

  /** A GPU of the node is dead: after each boot it falls off the bus again. */
  public void gpuDies(String node) {
    world.machine(node).gpuDead = true;
    gpuLost(node);
  }

  /**
   * NVML lists a GPU of the node no more, and the kernel says nothing of it.
   *
   * @param boots in how many boots it is not there, this one among them
   */
  public void gpuVanishes(String node, int boots) {
    Machine machine = world.machine(node);
    if (machine.powered) {
      machine.gpuBroken = true;
      machine.bootsWithoutGpu = Math.max(machine.bootsWithoutGpu, boots);
      polled(machine);
      world.gangs().each(gang -> gang.deviceLost(machine, false));
    }
  }

  /** The first poll of the GPUs of a machine, in this boot or since one has vanished. */
  void polled(Machine machine) {
    noticed(
        machine,
        () -> {
          if (machine.bootsWithoutGpu > 0) {
            machine.missesGpu = true;
            world.nodeAgents().sees(machine, vanished(machine));
          } else if (machine.missesGpu) {
            machine.missesGpu = false;
            world
                .nodeAgents()
                .resolved(
                    machine,
                    new FaultResolution(
                        machine.name(),
                        ComponentType.GPU,
                        GPU,
                        Set.of(VANISHED),
                        "reboot",
                        world.now().minusMillis(1)));
          }
        });
  }

  private FaultObservation vanished(Machine machine) {
    Instant now = world.now();
    return FaultObservation.of(
        new NodeFaultSpec(
            machine.name(),
            ComponentType.GPU,
            GPU,
            VANISHED,
            "nvml",
            FenceGuidance.ALWAYS,
            "reboot_node",
            machine.bootId(),
            now,
            "NVML answers that this GPU is lost"),
        FaultObservation.NO_SEQUENCE,
        now);
  }

  /** The driver has reset the GPU of the node, and it works again. */
  public void driverClears(String node) {
    Machine machine = world.machine(node);
    if (machine.answers() && !machine.gpuDead && machine.bootsWithoutGpu == 0) {
      machine.gpuBroken = false;
      logs(
          machine,
          "NVRM: GPU at PCI:" + GPU + ": " + UUID,
          "GPU reset executed: " + UUID + ", success: true");
      world.gangs().each(Gang::update);
    }
  }

  /** A privileged process of a tenant writes into the kernel log what only a driver says. */
  public void forgesKernelLine(String node) {
    Machine machine = world.machine(node);
    if (machine.runs()) {
      world
          .nodeAgents()
          .processSays(machine, XID + "79, pid=4321, name=tenant, GPU has fallen off the bus.");
    }
  }

  // --- what was before the run began ------------------------------------------------

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
    NodeFaultSpec fault = worn(node, "XID-13", XID + "13, Graphics SM Warp Exception on (GPC 1)");
    observed(fault, ago.plusHours(1), "GPC 1 TPC 2", past(one));
    observed(fault, ago, "GPC 1 TPC 2", past(other));
  }

  /**
   * Before the run began a GPU had as many bursts of an error that no program causes as fence it.
   *
   * @param ago since the newest of them
   */
  public void wornMemory(String node, Duration ago) {
    NodeFaultSpec fault = worn(node, "XID-94", XID + "94, Contained memory error");
    for (int i = Weighing.INCIDENTS - 1; i >= 0; i--) {
      observed(fault, ago.plusHours(i), "", AffectedPod.UNKNOWN);
    }
  }

  /** A GPU of the node was lost before the run began, and the node was fenced for it. */
  public void fencedBefore(String node) {
    Machine machine = world.machine(node);
    machine.gpuBroken = true;
    String line = XID + "79, GPU has fallen off the bus.";
    machine.log().saidLongAgo(line);
    NodeFaultSpec fault =
        new NodeFaultSpec(
            machine.name(),
            ComponentType.GPU,
            GPU,
            "XID-79",
            "kmsg",
            FenceGuidance.ALWAYS,
            "reboot_node",
            machine.bootId(),
            world.now().minus(LONG_AGO),
            line,
            machine.nodeUid);
    observed(fault, LONG_AGO, "", AffectedPod.UNKNOWN);
    String by =
        "fault/" + FaultObservation.of(fault, FaultObservation.NO_SEQUENCE, world.now()).name();
    world.nodes().patch(node, n -> n.cordoned(true, by));
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
        GPU,
        code,
        "kmsg",
        FenceGuidance.THRESHOLD,
        "restart_job",
        machine.bootId(),
        world.now().minus(LONG_AGO),
        line,
        machine.nodeUid);
  }

  private void observed(NodeFaultSpec fault, Duration ago, String unit, AffectedPod victim) {
    Instant then = world.now().minus(ago);
    write(new FaultObservation(fault, FaultObservation.NO_SEQUENCE, then, unit, victim));
  }

  /** What the agent of a node wrote down an hour ago. */
  private void history(String node, String... jobs) {
    NodeFaultSpec fault = past(world.machine(node), "XID-31", MMU_FAULT);
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
