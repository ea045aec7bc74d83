package dev.rekindle.simulator.replay;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RestartMode;
import dev.rekindle.simulator.setup.JobSetup;
import dev.rekindle.simulator.setup.NodeSetup;
import dev.rekindle.simulator.setup.Setup;
import dev.rekindle.simulator.setup.Timing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The cluster that a trace is replayed in. */
final class Setups {
  static final JobKey JOB = new JobKey("training", "pretrain");

  private static final int NODES_PER_LEAF = 32;

  /** The controller itself does not fail in a replay; most renewals of its lease are left out. */
  private static final Duration LEASE = Duration.ofHours(1);

  private Setups() {}

  static Setup of(Plan plan, World world) {
    Assumptions a = plan.assumptions();
    return new Setup(
        a.seed(),
        nodes(plan),
        List.of(job(plan, world)),
        policy(a),
        timing(a),
        world == World.REKINDLE ? 1 : 0);
  }

  private static List<NodeSetup> nodes(Plan plan) {
    List<NodeSetup> nodes = new ArrayList<>();
    for (String name : plan.nodes()) {
      String leaf = String.format(Locale.ROOT, "leaf-%03d", nodes.size() / NODES_PER_LEAF);
      nodes.add(new NodeSetup(name, leaf, plan.assumptions().gpusPerNode()));
    }
    return nodes;
  }

  private static JobSetup job(Plan plan, World world) {
    Assumptions a = plan.assumptions();
    OptIn optIn = world == World.REKINDLE ? new OptIn.Yes(JobView.Mode.AUTO) : new OptIn.No();
    return JobSetup.of(JOB, a.jobNodes(), a.gpusPerNode(), optIn)
        .with(
            b ->
                b.step(a.step())
                    .checkpointEvery(a.stepsPerCheckpoint())
                    .checkpointWrite(a.checkpointWrite())
                    .steps(2 * (plan.wall().toMillis() / a.step().toMillis()) + 1_000_000));
  }

  /** The defaults of the policy, where the size of the job does not ask for more. */
  static Policy policy(Assumptions a) {
    Policy d = Policy.DEFAULT;
    Duration restart = a.start().plus(a.load());
    return d.with(
        b ->
            b.maxFencedNodes(a.maxFenced())
                .stall(a.stall())
                // The threshold is an assumption of the replay: nothing is learnt.
                .minStall(a.stall())
                .kubeletRestart(Durations.longer(d.kubeletRestart(), restart.plusSeconds(60)))
                .start(Durations.longer(d.start(), a.creation().plus(restart).multipliedBy(2)))
                .topologyKeys(List.of("topology.rekindle.dev/leaf"))
                // What a replay assumes of creation and start was measured of rebuilds.
                .restart(RestartMode.REBUILD));
  }

  static Timing timing(Assumptions a) {
    Timing d = Timing.DEFAULT;
    return d.with(
        b ->
            b.watchLag(watchLag(a))
                .processStart(slowest(a.creation().plus(a.start())))
                .load(a.load())
                .report(steadyReport(a))
                .peers(a.collective())
                .leaseDuration(LEASE.multipliedBy(3))
                .leaseRenew(LEASE.multipliedBy(2))
                .leaseRetry(LEASE));
  }

  /**
   * The simulator spreads times from three quarters to five quarters; of a gang the slowest counts.
   */
  private static Duration slowest(Duration time) {
    return time.multipliedBy(4).dividedBy(5);
  }

  /**
   * What changes within that time is looked at together. A gang of thousands that starts makes
   * thousands of changes, each of which would have all of it judged anew.
   */
  static Duration watchLag(Assumptions a) {
    Duration some = Duration.ofMillis(a.jobNodes() / 2);
    Duration lag = Durations.longer(Timing.DEFAULT.watchLag(), some);
    return lag.toSeconds() >= 1 ? Duration.ofSeconds(1) : lag;
  }

  /**
   * Reports of steady training are most of the events of a long trace and say nothing new, so they
   * are rarer than an agent's. Yet one must come within the stall timeout, or steady training looks
   * like a stall. While training stands, agents report every few seconds as ever.
   */
  static Duration steadyReport(Assumptions a) {
    return a.stall().multipliedBy(7).dividedBy(10);
  }
}
