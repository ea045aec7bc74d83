package dev.rekindle.simulator.world;

import java.time.Duration;

/** Nodes that lose their power, hang or are cut off, and that come back. */
public final class NodeOutages {
  private final World world;
  private final NodeLifecycle lifecycle;

  NodeOutages(World world) {
    this.world = world;
    this.lifecycle = new NodeLifecycle(world);
  }

  /** The node loses its power. */
  public void powerOff(String node) {
    Machine machine = world.machine(node);
    if (machine.powered) {
      machine.powered = false;
      machine.frozen = false;
      world.kubelet(node).powerLost();
      world.nodeAgents().powerLost(node);
      lifecycle.silent(machine);
      world.gangs().each(Gang::update);
    }
  }

  /** The node is started again after that time. */
  public void rebooted(String node, Duration time) {
    world.loop().after(time, () -> back(node));
  }

  /** From now on the kubelet of the node calls it Ready at once after a boot. */
  public void bootsQuietly(String node) {
    world.machine(node).bootsQuietly = true;
  }

  /** Kubelet and processes of the node stop where they are. */
  public void freeze(String node) {
    Machine machine = world.machine(node);
    if (machine.powered && !machine.frozen) {
      machine.frozen = true;
      lifecycle.silent(machine);
      world.gangs().each(Gang::update);
    }
  }

  /** The node can no longer reach the API server; what runs on it runs on. */
  public void cutOff(String node) {
    Machine machine = world.machine(node);
    if (machine.connected) {
      machine.connected = false;
      lifecycle.silent(machine);
    }
  }

  /** The node has power again, continues, and is connected. */
  public void back(String node) {
    Machine machine = world.machine(node);
    if (machine.answers() || machine.absent) {
      return;
    }
    // Its processes continue at once; its kubelet ends unwanted pods within seconds.
    boolean boots = !machine.powered;
    if (boots) {
      machine.boots();
    }
    machine.powered = true;
    machine.connected = true;
    machine.frozen = false;
    machine.woken = world.now();
    world.devices().back(machine, boots);
    if (machine.gpuDead) {
      world.hardware().gpuLost(node);
    }
    if (machine.missesGpu || machine.bootsWithoutGpu > 0) {
      world.hardware().polled(machine);
    }
    world.kubelet(node).back();
    world.nodeAgents().back(machine);
    lifecycle.answers(machine);
    world.gangs().each(Gang::update);
    world.gangs().each(Gang::reportRunning);
  }

  /** The hardware of the node is put right, and its node faults are deleted. */
  public void repair(String node) {
    Machine machine = world.machine(node);
    machine.gpuBroken = false;
    machine.gpuDead = false;
    machine.bootsWithoutGpu = 0;
    machine.missesGpu = false;
    machine.flaky = false;
    machine.worn.clear();
    machine.networkBroken = false;
    world.devices().repaired(machine);
    world.nodeAgents().forget(machine);
    world.nodeConditions().clear(node);
    for (FaultObject fault : world.faults().list()) {
      if (fault.view().node().equals(node)) {
        world.faults().delete(fault.meta().key(), "", null);
      }
    }
    back(node);
    world.gangs().each(Gang::update);
  }

  /** Another machine is in the place of the one that the node had. */
  void exchanged(String node) {
    world.kubelet(node).exchanged();
    world.nodeAgents().exchanged(node);
  }

  /** The machine of a node that was registered again. */
  void registered(Machine machine) {
    world.kubelet(machine.name()).back();
    world.devices().back(machine, /* booted= */ false);
    lifecycle.answers(machine);
    world.gangs().each(Gang::update);
  }

  /** What is frozen on any node heeds no signal at all: control groups of version 1. */
  public void frozenHeedNoSignal() {
    world.machines().forEach(machine -> machine.freezesDeaf = true);
  }
}
