package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.PodView.Failure;
import dev.rekindle.detect.fault.FaultName;
import dev.rekindle.detect.node.DeviceSlice;
import dev.rekindle.detect.node.DeviceTaint;
import dev.rekindle.simulator.api.Collection;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.world.DeviceClaims.Taint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * DRA: drivers that publish a ResourceSlice of each node, taints of devices, and the controller
 * that evicts pods for them. A kubelet deletes the slices of its node when it starts, and those of
 * a driver half a minute after that has gone.
 */
public final class DraDrivers {
  /** The driver of the GPUs. */
  public static final String DRIVER = "gpu.nvidia.com";

  private static final Pattern WORDS = Pattern.compile("[^A-Z0-9]+");
  private static final Duration PUBLISHED = Duration.ofMillis(500);
  private static final Duration WIPED = Duration.ofSeconds(30);
  private static final Duration REGISTERS = Duration.ofSeconds(12);
  private static final Duration EVICTS = Duration.ofSeconds(1);

  private final World world;
  private final Collection<SliceObject> slices;
  private final Collection<TaintRuleObject> rules;
  private final boolean installed;

  DraDrivers(
      World world,
      Collection<SliceObject> slices,
      Collection<TaintRuleObject> rules,
      boolean installed) {
    this.world = world;
    this.slices = slices;
    this.rules = rules;
    this.installed = installed;
  }

  /** Whether there are any. */
  public boolean isInstalled() {
    return installed;
  }

  /** ResourceSlices. */
  public Collection<SliceObject> slices() {
    return slices;
  }

  /** DeviceTaintRules. */
  public Collection<TaintRuleObject> rules() {
    return rules;
  }

  /** The driver of the node taints the GPU that may have faults. */
  public void taints(String node, String key, String effect) {
    Machine machine = world.machine(node);
    if (machine.runs() && !machine.claims.driverAway) {
      taint(machine, key, new Taint(machine.faultyGpu(), false, false, effect, world.now()));
    }
  }

  /**
   * A person taints devices of the node by a rule.
   *
   * @param all whether all of them
   * @param selected whether by an expression
   */
  public void rules(String node, String key, String effect, boolean all, boolean selected) {
    Machine machine = world.machine(node);
    int device = all ? -1 : machine.faultyGpu();
    taint(machine, key, new Taint(device, selected, true, effect, world.now()));
  }

  private void taint(Machine machine, String key, Taint taint) {
    if (world.nodes().find(machine.name()).isEmpty() || machine.claims.taints.containsKey(key)) {
      return;
    }
    machine.claims.taints.put(key, taint);
    if (taint.rule()) {
      var _ =
          rules.create(
              new TaintRuleObject(
                  Meta.draft("", machine.name() + "-" + key, ""), view(machine, key, taint)));
    } else {
      publish(machine);
    }
    if (taint.effect().equals("NoExecute")) {
      world.loop().after(world.jitter(EVICTS), () -> evict(machine));
    }
  }

  /** The taint of that key is taken off the devices of the node. */
  public void untaint(String node, String key) {
    Machine machine = world.machine(node);
    Taint taint = machine.claims.taints.remove(key);
    if (taint != null && taint.rule()) {
      rules.delete(node + "-" + key, "", null);
    } else if (taint != null) {
      publish(machine);
    }
  }

  /** All taints are taken off the devices of the node. */
  public void untaint(String node) {
    List.copyOf(world.machine(node).claims.taints.keySet()).forEach(key -> untaint(node, key));
  }

  /** The driver of the node ends. */
  public void goesAway(String node) {
    Machine machine = world.machine(node);
    if (!machine.claims.driverAway) {
      machine.claims.driverAway = true;
      int turn = ++machine.claims.driverTurn;
      world
          .loop()
          .after(
              world.jitter(WIPED),
              () -> {
                if (machine.claims.driverTurn == turn && machine.answers()) {
                  wipe(node);
                }
              });
    }
  }

  /** The driver of the node registers again, and knows of its taints. */
  public void comesBack(String node) {
    Machine machine = world.machine(node);
    if (installed && machine.runs() && machine.claims.driverAway) {
      machine.claims.driverAway = false;
      machine.claims.driverTurn++;
      publish(machine);
    }
  }

  /** The kubelet of the node is started anew: it deletes all slices, and drivers register again. */
  public void kubeletRestarts(String node) {
    Machine machine = world.machine(node);
    if (machine.answers()) {
      starts(machine);
    }
  }

  private void starts(Machine machine) {
    machine.claims.driverAway = true;
    int turn = ++machine.claims.driverTurn;
    wipe(machine.name());
    world
        .loop()
        .after(
            world.jitter(REGISTERS),
            () -> {
              if (machine.claims.driverTurn == turn) {
                comesBack(machine.name());
              }
            });
  }

  void wipe(String node) {
    slices.find(node).ifPresent(slice -> slices.delete(node, "", null));
  }

  /** The machine answers again. */
  void back(Machine machine, boolean booted) {
    if (!installed) {
      return;
    }
    if (booted) {
      starts(machine);
    } else {
      publish(machine);
    }
  }

  private void publish(Machine machine) {
    world.loop().after(world.jitter(PUBLISHED), () -> publishNow(machine));
  }

  /** Publishes what it knows, if it can. */
  void publishNow(Machine machine) {
    String node = machine.name();
    if (!installed
        || !machine.answers()
        || machine.claims.driverAway
        || world.nodes().find(node).isEmpty()) {
      return;
    }
    DeviceSlice slice = slice(machine);
    if (slices.find(node).isPresent()) {
      var _ = slices.patch(node, s -> s.with(slice));
    } else {
      var _ = slices.create(new SliceObject(Meta.draft("", node, ""), slice));
    }
  }

  private DeviceSlice slice(Machine machine) {
    List<DeviceTaint> taints = new ArrayList<>();
    machine.claims.taints.forEach(
        (key, taint) -> {
          if (!taint.rule()) {
            taints.add(view(machine, key, taint));
          }
        });
    return new DeviceSlice(machine.name(), DRIVER, machine.name(), taints);
  }

  /** On every other node the driver says where a device is. */
  private static DeviceTaint view(Machine machine, String key, Taint taint) {
    boolean known = machine.name().hashCode() % 3 != 0;
    return new DeviceTaint(
        DRIVER,
        machine.name(),
        taint.device() < 0 || taint.selected() ? "" : "gpu-" + taint.device(),
        taint.selected(),
        taint.rule() || !known ? "" : Hardware.GPU + ".0",
        key,
        "",
        taint.effect(),
        taint.since());
  }

  // --- what follows ---------------------------------------------------------------------------

  private Stream<Taint> taints(String node) {
    return world.machine(node).claims.taints.values().stream();
  }

  /** GPUs of the node that no new pod is given. */
  int keptOff(String node) {
    if (!installed) {
      return 0;
    }
    int gpus = world.machine(node).setup().gpus();
    if (slices.find(node).isEmpty()) {
      return gpus;
    }
    int kept = 0;
    for (int gpu = 0; gpu < gpus; gpu++) {
      kept += evictsFrom(node, gpu) ? 1 : 0;
    }
    return kept;
  }

  private boolean evictsFrom(String node, int gpu) {
    return taints(node).anyMatch(t -> t.effect().equals("NoExecute") && t.isOn(gpu));
  }

  private void evict(Machine machine) {
    String node = machine.name();
    if (slices.find(node).isEmpty()) {
      return;
    }
    Failure failure =
        new Failure("Evicted", false, "the pod is to go (DeletionByDeviceTaintManager)");
    for (PodObject pod : world.pods().list("spec.nodeName", node)) {
      boolean hit = false;
      for (int gpu = 0; gpu < machine.setup().gpus(); gpu++) {
        hit |= pod.held().has(gpu) && evictsFrom(node, gpu);
      }
      if (hit && pod.live() && !pod.meta().terminating()) {
        PodObject.Status was = pod.status();
        var _ = world.pods().patch(pod.meta().key(), p -> p.with(was.withFailure(failure)));
        world.pods().delete(pod.meta().key(), pod.meta().uid(), null);
      }
    }
  }

  /** What they say of the devices of the machine. */
  void addSigns(Machine machine, List<DeviceSign> signs) {
    machine.claims.taints.forEach(
        (key, taint) -> {
          DeviceTaint view = view(machine, key, taint);
          String place = view.address().isEmpty() ? view.device() : Hardware.GPU;
          String code = "DRA-" + WORDS.matcher(key.toUpperCase(Locale.ROOT)).replaceAll("-");
          signs.add(
              new DeviceSign(
                  FaultName.of(machine.name(), place, taint.selected() ? code + "-SELECTED" : code),
                  taint.since(),
                  taint.rule() ? DeviceSign.Kind.RULE : DeviceSign.Kind.TAINT));
        });
  }
}
