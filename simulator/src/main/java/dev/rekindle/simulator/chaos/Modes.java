package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 14: under mode observe no node is fenced and no job stopped; under approve neither
 * before a person has approved. Bound: a recovery that acted before approval was required continues
 * to its end, since a stopped job must not stay stopped; the approval of a cleared fault is valid
 * for {@link #UNDER_WAY}. Why: sites use these modes to evaluate Rekindle.
 */
final class Modes extends Check {
  private final Policy policy;
  private final Evidence evidence;

  /** Since when jobs want a person to be asked first. */
  private final Map<String, Instant> asksSince = new HashMap<>();

  /** Recoveries that acted while no approval was required. */
  private final Set<String> underWay = new HashSet<>();

  Modes(World world, Invariants all, Policy policy, Evidence evidence) {
    super(world, all, Invariant.MODES);
    this.policy = policy;
    this.evidence = evidence;
    world.jobs().watch(this::jobChanged);
  }

  private void jobChanged(Change<JobObject> change) {
    JobObject job = change.object();
    if (job.optIn() instanceof OptIn.Yes(Mode mode) && mode == Mode.APPROVE) {
      asksSince.putIfAbsent(job.meta().uid(), change.before() == null ? Instant.MIN : now());
    } else {
      asksSince.remove(job.meta().uid());
    }
  }

  @Override
  public void cordoned(NodeObject before, String by) {
    String name = before.meta().name();
    if (policy.mode() == Mode.OBSERVE) {
      broken("%s fences node %s under a policy that observes".formatted(by, name));
    } else if (!by.startsWith("fault/")) {
      world.recoveries().find(by).ifPresent(recovery -> approved(recovery, "fences node " + name));
    } else if (policy.mode() == Mode.APPROVE && !approved(before)) {
      broken("%s fences node %s unapproved".formatted(by, name));
    }
  }

  @Override
  public void wrote(JobObject before, JobObject after, String verb, String recovery) {
    if (verb.equals("suspend") && !before.suspend()) {
      world
          .recoveries()
          .find(before.key().namespace() + "/" + recovery)
          .ifPresent(by -> approved(by, "suspends its job"));
    }
  }

  @Override
  public void ordered(@Nullable OrderObject before, OrderObject after) {
    if (before == null) {
      world.recoveries().find(after.recovery()).ifPresent(by -> approved(by, "has its job frozen"));
    }
  }

  /** Whether a person approves of a fence for a fault that the node has, or had a moment ago. */
  private boolean approved(NodeObject node) {
    return (!node.approved().isEmpty() && evidence.goneLately(node.meta().name()))
        || world
            .faults()
            .find(node.approved())
            .filter(fault -> fault.view().node().equals(node.meta().name()))
            .isPresent();
  }

  private void approved(RecoveryObject recovery, String what) {
    boolean asks =
        policy.mode() == Mode.APPROVE || longAgo(asksSince.get(recovery.spec().jobUid()));
    // Who requests approval when his job is already stopped does not want it left so.
    if (!asks) {
      underWay.add(recovery.meta().uid());
    } else if (!Boolean.TRUE.equals(recovery.spec().approved())
        && !underWay.contains(recovery.meta().uid())) {
      broken("recovery %s %s unapproved".formatted(recovery.meta().key(), what));
    }
  }
}
