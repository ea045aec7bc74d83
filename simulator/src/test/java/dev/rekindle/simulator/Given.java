package dev.rekindle.simulator;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RestartMode;
import dev.rekindle.simulator.setup.JobSetup;
import dev.rekindle.simulator.setup.NodeSetup;
import dev.rekindle.simulator.setup.Setup;
import dev.rekindle.simulator.setup.Timing;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Clusters for tests: nodes of eight GPUs, two on each leaf, and a job of one rank per node. */
public final class Given {
  public static final JobKey KEY = new JobKey("team", "demo");

  private Given() {}

  /** A job under change: each call changes this one. */
  public static final class Job {
    private JobKey key = KEY;
    private int ranks = 3;
    private int gpus = 8;
    private RestartPolicy restart = RestartPolicy.ON_FAILURE;
    private Mode mode = Mode.AUTO;
    private Duration step = Duration.ofMillis(100);
    private int every = 10;
    private Duration write = Duration.ZERO;
    private boolean atomic = true;
    private boolean readsResumePath = true;
    private boolean tracked;
    private boolean eachNode;
    private boolean rankZeroSaves;
    private long steps = Long.MAX_VALUE;
    private @Nullable RestartMode way;

    public Job named(String name) {
      key = new JobKey("team", name);
      return this;
    }

    public Job ranks(int value, int gpusEach) {
      ranks = value;
      gpus = gpusEach;
      return this;
    }

    public Job restart(RestartPolicy value) {
      restart = value;
      return this;
    }

    public Job mode(Mode value) {
      mode = value;
      return this;
    }

    public Job training(Duration oneStep, int checkpointEvery, Duration checkpointWrite) {
      step = oneStep;
      every = checkpointEvery;
      write = checkpointWrite;
      return this;
    }

    public Job inPlace() {
      atomic = false;
      return this;
    }

    public Job newestByItself() {
      readsResumePath = false;
      return this;
    }

    /** It loads what its tracker names, which its owner lets be rewritten, and nothing else. */
    public Job byTracker() {
      readsResumePath = false;
      tracked = true;
      return this;
    }

    /** Each node keeps a copy of its checkpoints. */
    public Job onEachNode() {
      eachNode = true;
      return this;
    }

    /** Rank 0 saves on a path of its node, and the others have nothing. */
    public Job onNodeOfRankZero() {
      rankZeroSaves = true;
      return onEachNode();
    }

    public Job way(RestartMode value) {
      way = value;
      return this;
    }

    public Job steps(long value) {
      steps = value;
      return this;
    }

    public JobSetup setup() {
      return JobSetup.of(key, ranks, gpus, new OptIn.Yes(mode))
          .with(
              b ->
                  b.restart(restart)
                      .step(step)
                      .checkpointEvery(every)
                      .checkpointWrite(write)
                      .atomicWrite(atomic)
                      .readsResumePath(readsResumePath)
                      .tracked(tracked)
                      .eachNode(eachNode)
                      .rankZeroSaves(rankZeroSaves)
                      .steps(steps)
                      .stallTimeout(Duration.ofSeconds(15))
                      .way(way));
    }
  }

  /** Three ranks, a step every tenth of a second, a checkpoint every ten. */
  public static Job job() {
    return new Job();
  }

  /** Without a controller. */
  public static Setup cluster(int nodes, JobSetup... jobs) {
    return cluster(nodes, Policy.DEFAULT, 0, jobs);
  }

  /** With so many controllers. */
  public static Setup cluster(int nodes, Policy policy, int controllers, JobSetup... jobs) {
    return new Setup(7, nodes(nodes), List.of(jobs), policy, timing(), controllers);
  }

  /** The same where another process takes over at once when one dies. */
  public static Setup swift(Setup s) {
    Timing t = s.timing();
    Timing swift =
        t.with(
            b ->
                b.leaseDuration(Duration.ofSeconds(1))
                    .leaseRenew(Duration.ofMillis(700))
                    .leaseRetry(Duration.ofMillis(100))
                    .restart(Duration.ofMillis(100)));
    return new Setup(
        s.seed(),
        s.nodes(),
        s.jobs(),
        s.policy(),
        swift,
        s.controllers(),
        s.quota(),
        s.rails(),
        s.devices());
  }

  private static List<NodeSetup> nodes(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> new NodeSetup("node-" + i, "leaf-" + i / 2, 8))
        .toList();
  }

  /** As by default, but processes heed no signal, and a node is called silent after ten seconds. */
  private static Timing timing() {
    Timing t = Timing.DEFAULT;
    return t.with(b -> b.terminate(Duration.ofMinutes(5)).nodeGrace(Duration.ofSeconds(10)));
  }

  /** The default policy with other limits. */
  public static Policy policy(int restarts, int fenced) {
    Policy p = Policy.DEFAULT;
    return p.with(b -> b.maxRestarts(restarts).maxFencedNodes(fenced));
  }
}
