package dev.rekindle.simulator.world;

import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.detect.fault.AffectedPod;
import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.fault.FaultResolution;
import dev.rekindle.simulator.setup.NodeSetup.GpuUuids;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What breaks in the machines, and what their kernels log of it. Which fault it is, and what
 * follows, the agents say.
 */
public final class Hardware {
  /** From a fault of the hardware to the line in the kernel log, or to the poll of a detector. */
  private static final Duration NOTICED = Duration.ofMillis(300);

  static final String GPU = "0000:3b:00";
  private static final String SOUND_GPU = "0000:9b:00";

  /** As an agent says on which rail a port is. */
  private static final String RAIL = "rail 0";

  static final String XID = "NVRM: Xid (PCI:" + GPU + "): ";
  private static final String VANISHED = "NVML-GPU-LOST";
  static final String MMU_FAULT = XID + "31, pid=1234, name=python, MMU Fault";

  private final World world;

  Hardware(World world) {
    this.world = world;
  }

  /**
   * The kernel logs this in a moment, unless the machine stops before. The driver names its GPUs
   * before their first error of a boot.
   */
  private void logs(Machine machine, String... lines) {
    noticed(
        machine,
        () -> {
          if (machine.setup().uuids() != GpuUuids.NOWHERE && machine.log().isEmpty()) {
            world.nodeAgents().kernelSays(machine, name(machine, SOUND_GPU));
            world.nodeAgents().kernelSays(machine, name(machine, GPU));
          }
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
      notHarmless(machine);
      world.gangs().each(gang -> gang.deviceLost(machine, false));
    }
  }

  /** A GPU of the node has met an uncontained memory error; the process on it dies. */
  public void eccError(String node) {
    Machine machine = world.machine(node);
    if (machine.powered) {
      machine.gpuBroken = true;
      logs(machine, XID + "95, Uncontained: FBHUB. RST: Yes, D-RST: No");
      notHarmless(machine);
      world.gangs().each(gang -> gang.deviceLost(machine, true));
    }
  }

  /**
   * A GPU of the node cannot remap a broken row of its memory: it computes on until the row is
   * used.
   */
  public void rowRemapFails(String node) {
    logs(world.machine(node), XID + "64, Row remapping failure");
    notHarmless(world.machine(node));
  }

  /** What the kernel logs a device plugin sees as well. */
  private void notHarmless(Machine machine) {
    if (world.devices().plugins().isInstalled()) {
      noticed(machine, () -> world.devices().plugins().notHarmless(machine));
    }
  }

  /** A GPU of the node breaks, and the kernel says nothing of it: its device plugin alone does. */
  public void gpuBreaksSilently(String node) {
    Machine machine = world.machine(node);
    if (machine.powered) {
      machine.gpuBroken = true;
      notHarmless(machine);
      world.gangs().each(gang -> gang.deviceLost(machine, false));
    }
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
    return new FaultObservation(
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
            "rail 0: mlx5_0 port 1: state 1: DOWN, phys_state 3: Disabled"),
        FaultObservation.NO_SEQUENCE,
        now,
        RAIL,
        AffectedPod.UNKNOWN);
  }

  /** A fault that only the application causes: written down, never a reason to fence. */
  public void applicationXid(String node) {
    logs(world.machine(node), XID + "43, pid=1234, name=python, Ch 00000008");
  }

  /**
   * A program makes a mistake on all of its GPUs that one of them alone might have made as well.
   */
  public void programXid(JobKey job) {
    Map<String, Set<String>> hit = new TreeMap<>();
    world.podsOf(job).stream()
        .filter(pod -> !pod.node().isEmpty())
        .forEach(pod -> hit.computeIfAbsent(pod.node(), _ -> new TreeSet<>()).add(addressOf(pod)));
    if (hit.size() > 1) {
      hit.forEach(
          (node, gpus) ->
              gpus.forEach(gpu -> logs(world.machine(node), MMU_FAULT.replace(GPU, gpu))));
    }
  }

  /**
   * Of one of the GPUs that the pod holds: of that one which has the faults, if it is among them.
   */
  private String addressOf(PodObject pod) {
    return pod.held().has(world.machine(pod.node()).faultyGpu()) ? GPU : SOUND_GPU;
  }

  /** Number of the GPU of that address. */
  static int number(Machine machine, String address) {
    int gpus = machine.setup().gpus();
    return address.equals(SOUND_GPU)
        ? (machine.faultyGpu() + gpus / 2) % gpus
        : machine.faultyGpu();
  }

  private static String name(Machine machine, String address) {
    return "NVRM: GPU at PCI:%s: %s".formatted(address, machine.gpuUuid(number(machine, address)));
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
            now)
        .ofDevice(
            machine.setup().uuids() == GpuUuids.NOWHERE
                ? ""
                : machine.gpuUuid(machine.faultyGpu()));
  }

  /** The driver has reset the GPU of the node, and it works again. */
  public void driverClears(String node) {
    Machine machine = world.machine(node);
    if (machine.answers() && !machine.gpuDead && machine.bootsWithoutGpu == 0) {
      machine.gpuBroken = false;
      logs(
          machine,
          name(machine, GPU),
          "GPU reset executed: " + machine.gpuUuid(machine.faultyGpu()) + ", success: true");
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
}
