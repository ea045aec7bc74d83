package dev.rekindle.simulator.world;

import dev.rekindle.simulator.api.ApiServer;
import dev.rekindle.simulator.setup.DeviceStack;
import java.util.ArrayList;
import java.util.List;

/** Those who say how the devices of the cluster are. */
public final class Devices {
  private final DevicePlugins plugins;
  private final DraDrivers drivers;

  private Devices(DevicePlugins plugins, DraDrivers drivers) {
    this.plugins = plugins;
    this.drivers = drivers;
  }

  static Devices of(World world, ApiServer api, DeviceStack stack) {
    return new Devices(
        new DevicePlugins(world, stack),
        new DraDrivers(
            world,
            api.install("resourceslices"),
            api.install("devicetaintrules"),
            stack == DeviceStack.DRA));
  }

  /** Device plugins. */
  public DevicePlugins plugins() {
    return plugins;
  }

  /** DRA drivers, and taints of devices. */
  public DraDrivers drivers() {
    return drivers;
  }

  /** The cluster begins with the machine. */
  void begin(Machine machine) {
    drivers.publishNow(machine);
  }

  /** The machine answers again. */
  void back(Machine machine, boolean booted) {
    plugins.back(machine, booted);
    drivers.back(machine, booted);
  }

  /** Everything about the machine was put right. */
  void repaired(Machine machine) {
    plugins.comesBack(machine.name());
    drivers.untaint(machine.name());
    drivers.comesBack(machine.name());
  }

  /** The Node of the machine is deleted. */
  void nodeGone(String node) {
    drivers.wipe(node);
  }

  /** What is said of the devices of the machine now, whether or not an object shows it. */
  public List<DeviceSign> signs(Machine machine) {
    List<DeviceSign> signs = new ArrayList<>();
    plugins.addSigns(machine, signs);
    drivers.addSigns(machine, signs);
    return signs;
  }

  /** GPUs of the node that no new pod is given. */
  int keptOff(String node) {
    return drivers.keptOff(node);
  }
}
