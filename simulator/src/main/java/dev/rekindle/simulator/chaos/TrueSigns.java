package dev.rekindle.simulator.chaos;

import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.process.Answers;
import dev.rekindle.simulator.process.Answers.Call;
import dev.rekindle.simulator.world.DeviceSign;
import dev.rekindle.simulator.world.FaultObject;
import dev.rekindle.simulator.world.Machine;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Invariant 78: a fault that was reported for what a device plugin, a kubelet, a DRA driver or HAMi
 * says of a device is cleared once that is over, and not before. Bound: {@link #UNDER_WAY} since
 * the same was over before, and two minutes of calm. Why: while its reporter is away a fence would
 * be lifted without proof; and a fault that is never cleared keeps a sound node fenced.
 */
final class TrueSigns extends Check {
  private static final Set<String> DETECTORS = Set.of("device-plugin", "dra", "hami");
  private static final Duration LEFT = Duration.ofMinutes(2);

  private final Answers answers;

  /** By name of a fault, that somebody was seen to say it now, and when that was over last. */
  private final Set<String> said = new HashSet<>();

  private final Map<String, Instant> over = new HashMap<>();
  private final Overdue overdue = new Overdue(this);

  TrueSigns(World world, Invariants all, Answers answers) {
    super(world, all, Invariant.TRUE_SIGNS);
    this.answers = answers;
    if (world.devices().plugins().isInstalled()) {
      world.faults().watch(this::changed);
      world.nodes().watch(change -> heard(change.key()));
      world.devices().drivers().slices().watch(change -> heard(change.key()));
      world.devices().drivers().rules().watch(change -> heard(change.object().view().pool()));
    }
  }

  private void heard(String node) {
    Set<String> now = new HashSet<>();
    for (DeviceSign sign : world.devices().signs(world.machine(node))) {
      now.add(sign.fault());
    }
    for (String fault : Set.copyOf(said)) {
      if (fault.startsWith(node + ".") && !now.contains(fault)) {
        said.remove(fault);
        over.put(fault, now());
      }
    }
    said.addAll(now);
  }

  private Optional<DeviceSign> sign(FaultObject fault) {
    Machine machine = world.machine(fault.view().node());
    return world.devices().signs(machine).stream()
        .filter(sign -> sign.fault().equals(fault.meta().name()))
        .findFirst();
  }

  private void changed(Change<FaultObject> change) {
    FaultObject before = change.before();
    FaultObject after = change.after();
    if (before == null
        || after == null
        || !before.view().active()
        || after.view().active()
        || !DETECTORS.contains(after.view().detector())) {
      return;
    }
    NodeObject node = world.nodes().find(after.view().node()).orElse(null);
    Instant last = over.get(after.meta().name());
    Optional<DeviceSign> sign = sign(after);
    if (node != null
        && after.view().isOf(node.view())
        && sign.isPresent()
        && (last == null || longAgo(last) || longAgo(sign.get().since()))) {
      broken(
          "%s is cleared, and stands since %s: %s"
              .formatted(change.key(), sign.get().since(), after.view().evidence()));
    }
  }

  @Override
  void look() {
    for (FaultObject fault : world.faults().all()) {
      String name = fault.meta().name();
      if (!isLeft(fault)) {
        overdue.end(name);
      } else if (overdue.lasts(name, LEFT)) {
        broken(
            "%s stands, and is over since %s: %s"
                .formatted(name, overdue.since(name), fault.view().evidence()));
      }
    }
  }

  @Override
  boolean isWaiting() {
    return !overdue.isEmpty();
  }

  private boolean isLeft(FaultObject fault) {
    return fault.view().active()
        && DETECTORS.contains(fault.view().detector())
        && world
            .nodes()
            .find(fault.view().node())
            .filter(n -> fault.view().isOf(n.view()))
            .isPresent()
        && sign(fault).isEmpty()
        && world.machine(fault.view().node()).answers()
        && !answers.refusedForGood(Call.CLEAR);
  }
}
