package dev.rekindle.simulator.world;

import dev.rekindle.detect.fault.FaultName;
import dev.rekindle.simulator.setup.DeviceStack;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Device plugins, and what kubelets and HAMi make of what they say. A plugin marks a GPU for each
 * XID that is not on its short list, and takes that back when it starts anew. While it is away pods
 * may request nothing, and after five minutes its kubelet forgets that there ever was something.
 */
public final class DevicePlugins {
  /** From what a plugin says to the status of the node and its pods. */
  private static final Duration WRITTEN = Duration.ofSeconds(1);

  /** A kubelet forgets the devices of a plugin that is away for so long. */
  private static final Duration FORGOTTEN = Duration.ofMinutes(5);

  /** From the start of a kubelet to the registration of its plugins. */
  private static final Duration REGISTERS = Duration.ofSeconds(12);

  /** Shares of the RDMA devices of a node. */
  private static final int SHARES = 8;

  private final World world;
  private final DeviceStack stack;

  DevicePlugins(World world, DeviceStack stack) {
    this.world = world;
    this.stack = stack;
  }

  /** Who says how devices are. */
  public DeviceStack stack() {
    return stack;
  }

  /** Whether anybody says how devices are. */
  public boolean isInstalled() {
    return stack != DeviceStack.NONE;
  }

  private boolean doubts() {
    return stack == DeviceStack.PLUGINS || stack == DeviceStack.HAMI;
  }

  /** The kernel has logged that of a GPU, and it is not on the short list. */
  void notHarmless(Machine machine) {
    marks(machine.name(), Set.of(machine.faultyGpu()));
  }

  /** The plugin of the node holds the GPU that may have faults for unhealthy. */
  public void marksOne(String node) {
    marks(node, Set.of(world.machine(node).faultyGpu()));
  }

  /** The plugin of the node holds all GPUs for unhealthy: its own wait for events has failed. */
  public void marksAll(String node) {
    Set<Integer> all = new TreeSet<>();
    for (int gpu = 0; gpu < world.machine(node).setup().gpus(); gpu++) {
      all.add(gpu);
    }
    marks(node, all);
  }

  private void marks(String node, Set<Integer> gpus) {
    Machine machine = world.machine(node);
    if (doubts() && machine.runs() && machine.claims.pluginAway == null) {
      gpus.forEach(gpu -> machine.claims.marked.putIfAbsent(gpu, world.now()));
      write(machine);
    }
  }

  /** HAMi's plugin sees that its GPUs answer again: NVIDIA's never does. */
  public void takesBack(String node) {
    Machine machine = world.machine(node);
    if (stack == DeviceStack.HAMI && machine.runs() && !machine.gpuBroken) {
      machine.claims.marked.clear();
      write(machine);
    }
  }

  /** The plugin of the node ends. */
  public void goesAway(String node) {
    Machine machine = world.machine(node);
    if (doubts() && machine.claims.pluginAway == null) {
      machine.claims.pluginAway = world.now();
      machine.claims.turn++;
      write(machine);
      forgetLater(machine);
    }
  }

  /** The plugin of the RDMA devices of the node ends. */
  public void hcasGoAway(String node) {
    Machine machine = world.machine(node);
    if (doubts() && machine.claims.hcasAway == null) {
      machine.claims.hcasAway = world.now();
      write(machine);
      forgetLater(machine);
    }
  }

  private void forgetLater(Machine machine) {
    world.loop().after(FORGOTTEN.plusSeconds(1), () -> write(machine));
  }

  /** The plugins of the node register anew: what they have said is forgotten. */
  public void comesBack(String node) {
    Machine machine = world.machine(node);
    if (isInstalled() && machine.runs()) {
      machine.claims.pluginAway = null;
      machine.claims.kubeletNew = false;
      machine.claims.hcasAway = null;
      machine.claims.marked.clear();
      machine.claims.turn++;
      write(machine);
    }
  }

  /** The machine answers again. */
  void back(Machine machine, boolean booted) {
    if (!isInstalled()) {
      return;
    }
    if (booted) {
      machine.claims.marked.clear();
      machine.claims.pluginAway = world.now();
      machine.claims.kubeletNew = true;
      int turn = ++machine.claims.turn;
      world
          .loop()
          .after(
              world.jitter(REGISTERS),
              () -> {
                if (machine.claims.turn == turn) {
                  comesBack(machine.name());
                }
              });
    }
    write(machine);
  }

  /** Writes what is so then, if the kubelet can. */
  private void write(Machine machine) {
    world.loop().after(world.jitter(WRITTEN), () -> writeNow(machine));
  }

  private void writeNow(Machine machine) {
    if (!machine.answers() || world.nodes().find(machine.name()).isEmpty()) {
      return;
    }
    NodeDevices devices = devices(machine);
    var _ = world.nodes().patch(machine.name(), n -> n.withDevices(devices));
    if (stack == DeviceStack.PLUGINS) {
      List<String> unhealthy = uuids(machine);
      for (PodObject pod : world.pods().list("spec.nodeName", machine.name())) {
        HeldGpus held = pod.held().withUnhealthy(unhealthy);
        var _ = world.pods().patch(pod.meta().key(), p -> p.withHeld(held));
      }
    }
  }

  private static List<String> uuids(Machine machine) {
    return machine.claims.marked.keySet().stream().map(machine::gpuUuid).toList();
  }

  private NodeDevices devices(Machine machine) {
    DeviceClaims claims = machine.claims;
    int gpus = machine.setup().gpus();
    boolean forgotten = claims.kubeletNew || isForgotten(claims.pluginAway);
    boolean hcasForgotten = claims.kubeletNew || isForgotten(claims.hcasAway);
    boolean hcas = doubts();
    return new NodeDevices(
        forgotten ? 0 : gpus,
        claims.pluginAway == null ? gpus - claims.marked.size() : 0,
        hcas,
        hcas && !hcasForgotten ? SHARES : 0,
        hcas && claims.hcasAway == null && !hcasForgotten ? SHARES : 0,
        stack == DeviceStack.HAMI ? uuids(machine) : List.of());
  }

  private boolean isForgotten(@Nullable Instant away) {
    return away != null && away.plus(FORGOTTEN).isBefore(world.now());
  }

  /** What they say of the devices of the machine. */
  void addSigns(Machine machine, List<DeviceSign> signs) {
    DeviceClaims claims = machine.claims;
    boolean kubelet = stack == DeviceStack.PLUGINS;
    claims.marked.forEach(
        (gpu, since) ->
            signs.add(
                new DeviceSign(
                    FaultName.of(
                        machine.name(),
                        machine.gpuUuid(gpu),
                        kubelet ? "DEVICE-UNHEALTHY" : "HAMI-UNHEALTHY"),
                    since,
                    kubelet ? DeviceSign.Kind.MARK : DeviceSign.Kind.HAMI)));
    Stream.concat(claims.marked.values().stream(), Stream.ofNullable(claims.pluginAway))
        .min(Instant::compareTo)
        .ifPresent(
            since ->
                signs.add(shortOf(machine, NodeDevices.GPUS, since, DeviceSign.Kind.GPUS_SHORT)));
    if (claims.hcasAway != null) {
      signs.add(shortOf(machine, NodeDevices.HCAS, claims.hcasAway, DeviceSign.Kind.HCAS_SHORT));
    }
  }

  private static DeviceSign shortOf(
      Machine machine, String resource, Instant since, DeviceSign.Kind kind) {
    return new DeviceSign(
        FaultName.of(machine.name(), resource, "DEVICE-PLUGIN-UNHEALTHY"), since, kind);
  }
}
