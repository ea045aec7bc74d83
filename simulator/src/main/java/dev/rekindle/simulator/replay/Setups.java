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
import java.util.Objects;

/** The cluster that a trace is replayed in. */
final class Setups {
  static final JobKey JOB = new JobKey("training", "pretrain");

  private static final int NODES_PER_LEAF = 32;

  /** The controller itself does not fail in a replay; most renewals of its lease are left out. */
  private static final Duration LEASE = Duration.ofHours(1);

  private Setups() {}

  static Setup of(Plan plan, World world) {
    boolean rekindle = world == World.REKINDLE;
    Options.Job job = plan.options().job;
    List<NodeSetup> nodes = new ArrayList<>();
    for (String name : plan.nodes()) {
      String leaf = String.format(Locale.ROOT, "leaf-%03d", nodes.size() / NODES_PER_LEAF);
      nodes.add(new NodeSetup(name, leaf, plan.options().gpusPerNode));
    }
    OptIn optIn = rekindle ? new OptIn.Yes(JobView.Mode.AUTO) : new OptIn.No();
    JobSetup training =
        JobSetup.of(JOB, plan.jobNodes(), plan.options().gpusPerNode, optIn)
            .with(
                b ->
                    b.step(job.step)
                        .checkpointEvery(job.stepsPerCheckpoint())
                        .checkpointWrite(job.checkpointWrite)
                        .steps(2 * (plan.wall().toMillis() / job.step.toMillis()) + 1_000_000));
    long seed = plan.options().seed;
    return new Setup(seed, nodes, List.of(training), policy(plan), timing(plan), rekindle ? 1 : 0);
  }

  /** The defaults of the policy, where the size of the job does not request more. */
  static Policy policy(Plan plan) {
    Options.Job job = plan.options().job;
    Policy d = Policy.DEFAULT;
    Duration kubelet = job.start.plus(job.load).plusMinutes(1);
    return d.with(
        b ->
            b.maxFencedNodes(Objects.requireNonNullElse(job.maxFenced, plan.spares()))
                .stall(job.stall)
                // The threshold is an assumption of the replay: nothing is learnt.
                .minStall(job.stall)
                .kubeletRestart(Durations.longer(d.kubeletRestart(), kubelet))
                .start(Durations.longer(d.start(), plan.restart().multipliedBy(2)))
                .topologyKeys(List.of("topology.rekindle.dev/leaf"))
                // What a replay assumes of creation and start was measured of rebuilds.
                .restart(RestartMode.REBUILD));
  }

  /**
   * Changes within the watch's lag are reconciled together: a gang of thousands that starts makes
   * thousands of them, each of which would have all of it judged again.
   *
   * <p>Reports of steady training are most of the events of a long trace and say nothing new, so
   * they are rarer than an agent's. Yet one must come within the stall timeout, or steady training
   * looks like a stall. While training stands, agents still report every few seconds.
   */
  static Timing timing(Plan plan) {
    Options.Job job = plan.options().job;
    Timing d = Timing.DEFAULT;
    Duration lag = Durations.longer(d.watchLag(), Duration.ofMillis(plan.jobNodes() / 2));
    // The simulator spreads times from three quarters to five quarters; of a gang the slowest
    // counts.
    Duration start = plan.creation().plus(job.start).multipliedBy(4).dividedBy(5);
    return d.with(
        b ->
            b.watchLag(lag.toSeconds() >= 1 ? Duration.ofSeconds(1) : lag)
                .processStart(start)
                .load(job.load)
                .report(job.stall.multipliedBy(7).dividedBy(10))
                .peers(job.ncclTimeout)
                .leaseDuration(LEASE.multipliedBy(3))
                .leaseRenew(LEASE.multipliedBy(2))
                .leaseRetry(LEASE));
  }
}
