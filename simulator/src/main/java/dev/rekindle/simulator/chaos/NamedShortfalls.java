package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.recovery.HoldReason;
import dev.rekindle.simulator.process.Answers;
import dev.rekindle.simulator.process.Answers.Call;
import dev.rekindle.simulator.world.FaultObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 57, of device plugins: a recovery that is held because its gang finds no place names
 * those nodes of which a device plugin holds GPUs back, or is away. Bound: nothing about the node
 * has changed for {@link #HEARD}, in the calm for two minutes, and nothing else keeps pods off it.
 * Why: such a node appears smaller than it is, and only this says so.
 */
final class NamedShortfalls extends Check {
  /** More nodes are not named. */
  private static final int MOST = 3;

  private static final Duration HEARD = Duration.ofSeconds(30);

  private final Answers answers;
  private final Places places;
  private final Overdue overdue = new Overdue(this);

  NamedShortfalls(World world, Invariants all, Answers answers, Places places) {
    super(world, all, Invariant.SAID_REASONS);
    this.answers = answers;
    this.places = places;
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    if (after != null && !isHeld(before.status(), HoldReason.NO_CAPACITY)) {
      unnamed(after, HEARD).ifPresent(node -> broken(unsaid(before, node, after)));
    }
  }

  @Override
  void look() {
    for (RecoveryObject recovery : world.recoveries().all()) {
      String key = recovery.meta().key();
      RecoveryStatus status = recovery.status();
      Optional<String> node =
          status == null || answers.refusedForGood(Call.SAVE, recovery.view().job())
              ? Optional.empty()
              : unnamed(status, UNDER_WAY);
      if (node.isEmpty()) {
        overdue.end(key);
      } else if (overdue.lasts(key, UNDER_WAY)) {
        broken(unsaid(recovery, node.get(), status));
      }
    }
  }

  @Override
  boolean isWaiting() {
    return !overdue.isEmpty();
  }

  private static String unsaid(
      RecoveryObject recovery, String node, @Nullable RecoveryStatus status) {
    return "recovery %s is held, and says nothing of the GPUs of node %s that are held back: %s"
        .formatted(recovery.meta().key(), node, why(status));
  }

  private static String why(@Nullable RecoveryStatus status) {
    return status == null || status.timeline().isEmpty()
        ? ""
        : status.timeline().getLast().detail();
  }

  /** A node that a hold for want of room should name, and does not. */
  private Optional<String> unnamed(RecoveryStatus status, Duration steady) {
    if (!isHeld(status, HoldReason.NO_CAPACITY) || !world.devices().plugins().isInstalled()) {
      return Optional.empty();
    }
    List<NodeObject> smaller =
        world.nodes().list().stream()
            .filter(node -> node.offered() < node.setup().gpus() && takesPods(node))
            .toList();
    return smaller.size() > MOST
        ? Optional.empty()
        : smaller.stream()
            .filter(node -> places.isSteadyFor(node, steady))
            .map(node -> node.meta().name())
            .filter(node -> !why(status).matches(".*device plugin.*(" + node + "|[.]{3}).*"))
            .findFirst();
  }

  private boolean takesPods(NodeObject node) {
    if (node.readiness() != Readiness.READY || node.unschedulable() || node.owner() != null) {
      return false;
    }
    for (FaultObject fault : world.faults().all()) {
      if (fault.view().node().equals(node.meta().name())
          && fault.view().active()
          && !fault.view().detector().equals("device-plugin")) {
        return false;
      }
    }
    return true;
  }
}
