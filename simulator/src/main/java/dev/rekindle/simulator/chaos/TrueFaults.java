package dev.rekindle.simulator.chaos;

import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.FaultObject;
import dev.rekindle.simulator.world.World;

/**
 * Invariant 27: the kernel of its machine has logged what a NodeFault quotes from the kernel log.
 * Why: a tenant who can write into the log must not be able to get nodes fenced.
 */
final class TrueFaults extends Check {
  private static final String KERNEL_LOG = "kmsg";

  TrueFaults(World world, Invariants all) {
    super(world, all, Invariant.TRUE_FAULTS);
    world.faults().watch(this::changed);
  }

  private void changed(Change<FaultObject> change) {
    FaultObject fault = change.after();
    if (fault == null || !fault.state().spec().detector().equals(KERNEL_LOG)) {
      return;
    }
    NodeFaultSpec spec = fault.state().spec();
    String newest = fault.view().evidence();
    for (String quoted : new String[] {spec.evidence(), newest}) {
      if (!world.machine(spec.node()).kernelSaid(quoted)) {
        broken("%s quotes what no kernel has said: %s".formatted(change.key(), quoted));
      }
    }
  }
}
