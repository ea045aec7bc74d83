package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.simulator.process.Answers;
import dev.rekindle.simulator.process.Answers.Call;
import dev.rekindle.simulator.world.DeviceSign;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.util.Locale;

/**
 * Invariant 79: in the calm what objects of Kubernetes say against a device is reported as a fault
 * of its node: a device that a pod of an opted-in job has, devices that are held back under such a
 * job, what HAMi registers, taints. Bound: {@link #BOUND}, which includes the minute in which a
 * plugin may register again. Why: a node is fenced, and a gang moved, for faults alone.
 */
final class SaidSigns extends Check {
  private static final Duration BOUND = Duration.ofMinutes(3);

  private final Answers answers;
  private final Overdue overdue = new Overdue(this);

  SaidSigns(World world, Invariants all, Answers answers) {
    super(world, all, Invariant.SAID_SIGNS);
    this.answers = answers;
  }

  @Override
  void look() {
    if (!world.devices().plugins().isInstalled() || clocksWereWrong()) {
      return;
    }
    for (NodeObject node : world.nodes().all()) {
      for (DeviceSign sign : world.devices().signs(world.machine(node.meta().name()))) {
        String key = node.meta().uid() + " " + sign.fault() + " " + sign.since();
        if (answers.refusedForGood(Call.RAISE) || !shows(node, sign) || isReported(node, sign)) {
          overdue.end(key);
        } else if (overdue.lasts(key, BOUND)) {
          broken("nothing reports %s, which is so since %s".formatted(sign.fault(), sign.since()));
        }
      }
    }
  }

  @Override
  boolean isWaiting() {
    return !overdue.isEmpty();
  }

  private boolean isReported(NodeObject node, DeviceSign sign) {
    return world
        .faults()
        .find(sign.fault())
        .filter(fault -> fault.view().active() && fault.view().isOf(node.view()))
        .isPresent();
  }

  private boolean shows(NodeObject node, DeviceSign sign) {
    String name = node.meta().name();
    return switch (sign.kind()) {
      case MARK -> world.pods().list("spec.nodeName", name).stream().anyMatch(p -> shows(p, sign));
      case GPUS_SHORT -> isShort(node, "gpu");
      case HCAS_SHORT -> isShort(node, "hca");
      case HAMI -> !node.view().signs().sickDevices().isEmpty();
      case TAINT ->
          world
              .devices()
              .drivers()
              .slices()
              .find(name)
              .filter(slice -> !slice.view().taints().isEmpty())
              .isPresent();
      case RULE -> world.devices().drivers().slices().find(name).isPresent();
    };
  }

  private boolean shows(PodObject pod, DeviceSign sign) {
    return optedIn(pod)
        && pod.view().devices().unhealthy().stream()
            .anyMatch(device -> sign.fault().contains(device.id().toLowerCase(Locale.ROOT)));
  }

  private boolean isShort(NodeObject node, String resource) {
    return node.view().signs().shortfalls().stream()
            .anyMatch(f -> f.missing() > 0 && f.resource().contains(resource))
        && world.pods().list("spec.nodeName", node.meta().name()).stream().anyMatch(this::optedIn);
  }

  private boolean optedIn(PodObject pod) {
    return pod.live() && jobOf(pod).filter(job -> job.optIn() instanceof OptIn.Yes).isPresent();
  }
}
