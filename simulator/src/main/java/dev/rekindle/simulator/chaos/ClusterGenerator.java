package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.PodNeeds;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Policy.FenceScope;
import dev.rekindle.controller.model.RestartMode;
import dev.rekindle.detect.policy.MaintenanceWindows;
import dev.rekindle.detect.weigh.Thresholds;
import dev.rekindle.simulator.setup.JobSetup;
import dev.rekindle.simulator.setup.NodeSetup;
import dev.rekindle.simulator.setup.Setup;
import dev.rekindle.simulator.setup.Timing;
import dev.rekindle.simulator.world.NodeObject;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/** Clusters, jobs and policies from a seed: small, so that much happens to each. */
final class ClusterGenerator {
  private static final List<RestartPolicy> RESTARTS = List.of(RestartPolicy.values());
  private static final List<RestartMode> WAYS = List.of(RestartMode.values());
  private static final int GPUS = 8;
  private static final int MINUTES_OF_A_DAY = 1_440;

  private ClusterGenerator() {}

  static Setup setup(long seed, RandomGenerator random) {
    List<JobSetup> jobs = new ArrayList<>();
    int wanted = 0;
    int count = 1 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      JobSetup job =
          job(i, random)
              .withSpares(spares(seed, i))
              .withEachNode(eachNode(seed, i))
              .withRankZeroSaves(rankZeroSaves(seed, i))
              .withTracked(tracked(seed, i));
      job = job.withSteps(steps(seed, i, job)).withGraceSeconds(grace(seed, i, job));
      jobs.add(LocalStorage.of(seed, i, job));
      wanted += job.ranks();
    }
    // Without a spare, a gang fits exactly, or not at all.
    int spares = random.nextInt(5);
    List<NodeSetup> nodes = new ArrayList<>();
    for (int i = 0; i < wanted + spares; i++) {
      nodes.add(new NodeSetup("node-" + i, "leaf-" + i / 3, GPUS, hasRdma(seed, i)));
    }
    return Surroundings.of(new Setup(seed, nodes, jobs, policy(random), timing(random), 2));
  }

  /** In each third seed some nodes have none; by the seed alone, so that it plays as it did. */
  private static boolean hasRdma(long seed, int node) {
    return Math.floorMod(seed, 3) > 0 || Math.floorMod(seed / 3 + node, 4) > 0;
  }

  /** In each fifth seed, by the seed alone, so that the others play as they did. */
  private static int spares(long seed, int job) {
    return Math.floorMod(seed, 5) < 4 ? 0 : Math.floorMod(seed / 5 + job, 3);
  }

  /** In each seventh seed, by the seed alone, so that the others play as they did. */
  private static boolean eachNode(long seed, int job) {
    return Math.floorMod(seed, 7) == 3 && Math.floorMod(seed / 7 + job, 3) < 2;
  }

  /** In a third of the seeds with node-local checkpoints rank 0 alone keeps them. */
  private static boolean rankZeroSaves(long seed, int job) {
    return eachNode(seed, job) && Math.floorMod(seed, 21) == 10;
  }

  /** In each thirteenth seed, by the seed alone, so that the others play as they did. */
  private static boolean tracked(long seed, int job) {
    return Math.floorMod(seed, 13) == 4 && !eachNode(seed, job) && !LocalStorage.isLocal(seed, job);
  }

  /**
   * In each eleventh seed jobs succeed, some of them while they are recovered; by the seed alone,
   * so that the others play as they did. Under Always a container that exits with 0 starts again.
   */
  private static long steps(long seed, int number, JobSetup job) {
    if (Math.floorMod(seed, 11) != 6 || job.restart() == RestartPolicy.ALWAYS) {
      return Long.MAX_VALUE;
    }
    long millis = 15_000 + Math.floorMod((seed / 11 + number * 7L) * 3_701, 150_000L);
    return Math.max(20, millis / job.step().toMillis());
  }

  /** In each thirteenth seed some pods are ended at once, unless somebody gives them time. */
  private static int grace(long seed, int number, JobSetup job) {
    boolean none = Math.floorMod(seed, 13) == 8 && Math.floorMod(seed / 13 + number, 3) < 2;
    return none ? 0 : job.graceSeconds();
  }

  /** What ranks show of a stall follows from what is drawn anyway, so seeds play as they did. */
  private static JobSetup job(int number, RandomGenerator random) {
    JobSetup job = anyJob(number, random);
    var recorders = JobSetup.Recorder.values();
    var traces = JobSetup.Traces.values();
    long drawn = job.step().toMillis();
    var lines = JobSetup.Lines.values();
    long write = job.checkpointWrite().toMillis();
    return job.with(
        b ->
            b.recorder(recorders[(int) (drawn % recorders.length)])
                .traces(traces[(int) (drawn / recorders.length % traces.length)])
                .lines(lines[(int) (write % lines.length)])
                .requiresRdma(write / lines.length % 5 == 0));
  }

  private static JobSetup anyJob(int number, RandomGenerator random) {
    OptIn optIn =
        switch (random.nextInt(12)) {
          case 0 -> new OptIn.No();
          case 1 -> new OptIn.Yes(Mode.OBSERVE);
          case 2 -> new OptIn.Yes(Mode.APPROVE);
          default -> new OptIn.Yes(Mode.AUTO);
        };
    return new JobSetup(
        new JobKey("team", "job-" + number),
        2 + (random.nextInt(4) == 0 ? 2 : random.nextInt(2)),
        GPUS,
        restart(random),
        optIn,
        Duration.ofMillis(50 + random.nextInt(400)),
        10 + random.nextInt(90),
        Duration.ofMillis(100 + random.nextInt(4_000)),
        random.nextInt(3) > 0,
        random.nextInt(3) > 0,
        Long.MAX_VALUE,
        random.nextBoolean() ? Duration.ofSeconds(15 + random.nextInt(30)) : null,
        random.nextBoolean() ? 30 : 2 + random.nextInt(8),
        random.nextBoolean() ? null : WAYS.get(random.nextInt(WAYS.size())),
        random.nextInt(4) == 0 ? 2 + random.nextInt(8) : null,
        JobSetup.Recorder.ALL,
        JobSetup.Traces.NONE,
        false,
        JobSetup.Lines.NONE,
        0,
        false,
        false,
        false,
        0,
        0,
        false,
        PodNeeds.NONE,
        false);
  }

  /** Two thirds of them such that kubelets start their containers again. */
  private static RestartPolicy restart(RandomGenerator random) {
    return random.nextInt(3) == 0
        ? RestartPolicy.ON_FAILURE
        : RESTARTS.get(random.nextInt(RESTARTS.size()));
  }

  private static Policy policy(RandomGenerator random) {
    Policy policy = anyPolicy(random);
    return policy.with(
        b ->
            b.minStall(policy.stall().dividedBy(2))
                .maintenance(maintenance(policy))
                .paused(drawn(policy) % 23 == 1)
                .maxSpares((int) (drawn(policy) % 3))
                .maxSparesPerNamespace(1 + (int) (drawn(policy) / 3 % 3))
                .maxFencedPerNamespace(quota(policy))
                .maxRestarts(restarts(policy))
                .approval(approval(policy))
                .revival(revival(policy)));
  }

  /** In every fourth seed few, so that budgets are spent. All follow from what is drawn anyway. */
  private static int restarts(Policy policy) {
    long drawn = drawn(policy);
    return drawn % 4 == 1 ? 1 + (int) (drawn / 4 % 3) : policy.maxRestarts();
  }

  /** In every second seed an approval is good for some minutes. */
  private static Duration approval(Policy policy) {
    long drawn = drawn(policy);
    return drawn % 2 == 0 ? Duration.ofSeconds(100 + drawn % 100) : policy.approval();
  }

  /** In every third seed jobs that failed are revived for half a minute only. */
  private static Duration revival(Policy policy) {
    long drawn = drawn(policy);
    return drawn % 3 == 0 ? Duration.ofSeconds(15 + drawn % 30) : policy.revival();
  }

  /** Follows from what is drawn anyway. In every third seed it is less than the breaker lets be. */
  private static int quota(Policy policy) {
    return 1 + (int) (policy.start().toSeconds() % 3);
  }

  private static Policy anyPolicy(RandomGenerator random) {
    return new Policy(
        mode(random),
        3 + random.nextInt(20),
        Duration.ofMinutes(60),
        1 + random.nextInt(4),
        1 + random.nextInt(3),
        Duration.ofSeconds(1 + random.nextInt(6)),
        Duration.ofSeconds(20 + random.nextInt(40)),
        Duration.ofSeconds(30 + random.nextInt(30)),
        Policy.DEFAULT.minStall(),
        Duration.ofSeconds(10 + random.nextInt(20)),
        Duration.ofSeconds(20 + random.nextInt(40)),
        Duration.ofSeconds(60 + random.nextInt(120)),
        Duration.ofSeconds(5 + random.nextInt(20)),
        Duration.ofMinutes(10),
        Duration.ofSeconds(10 + random.nextInt(10)),
        List.of(NodeObject.LEAF),
        WAYS.get(random.nextInt(WAYS.size())),
        Duration.ofSeconds(2 + random.nextInt(10)),
        Duration.ofSeconds(5 + random.nextInt(60)),
        Policy.DEFAULT.nodeConditions(),
        Policy.DEFAULT.deviceResources(),
        random.nextBoolean() ? 10 + random.nextInt(60) : null,
        random.nextBoolean() ? NodeObject.LEAF : "",
        random.nextInt(4) == 0 ? FenceScope.GPU_NODES : FenceScope.JOB_NODES,
        Thresholds.DEFAULT.withSilence(Duration.ofSeconds(1 + random.nextInt(6))),
        Duration.ofSeconds(5 + random.nextInt(25)),
        random.nextInt(4) == 0,
        List.of(),
        Policy.DEFAULT.maxFencedPerNamespace(),
        false,
        MaintenanceWindows.ALWAYS,
        Policy.DEFAULT.approval(),
        Policy.DEFAULT.maxSpares(),
        Policy.DEFAULT.maxSparesPerNamespace());
  }

  private static long drawn(Policy policy) {
    return policy.stall().toSeconds() + policy.drainTimeout().toSeconds();
  }

  /**
   * A fifth of the policies have windows: open for some minutes, then closed for some, all day
   * long. They follow from what is drawn anyway, so seeds play as they did.
   */
  private static MaintenanceWindows maintenance(Policy policy) {
    long drawn = drawn(policy);
    if (drawn % 5 != 0) {
      return MaintenanceWindows.ALWAYS;
    }
    Duration open = Duration.ofMinutes(2 + drawn % 4);
    long apart = open.toMinutes() + 1 + drawn % 7;
    List<MaintenanceWindows.Window> windows = new ArrayList<>();
    for (long minute = drawn % apart; minute < MINUTES_OF_A_DAY; minute += apart) {
      windows.add(
          new MaintenanceWindows.Window(
              ZoneOffset.UTC,
              Set.of(DayOfWeek.values()),
              LocalTime.ofSecondOfDay(minute * 60),
              open));
    }
    return new MaintenanceWindows(windows, false);
  }

  /** Most of them act by themselves, some ask a person first, some only look on. */
  private static Mode mode(RandomGenerator random) {
    return switch (random.nextInt(10)) {
      case 0 -> Mode.OBSERVE;
      case 1 -> Mode.APPROVE;
      default -> Mode.AUTO;
    };
  }

  private static Timing timing(RandomGenerator random) {
    Timing t = Timing.DEFAULT;
    return new Timing(
        Duration.ofMillis(5 + random.nextInt(200)),
        Duration.ofMillis(1 + random.nextInt(30)),
        t.schedule(),
        Duration.ofMillis(20 + random.nextInt(1_000)),
        Duration.ofMillis(200 + random.nextInt(1_500)),
        Duration.ofMillis(300 + random.nextInt(2_500)),
        Duration.ofMillis(100 + random.nextInt(1_000)),
        random.nextInt(3) == 0 ? Duration.ofMinutes(5) : Duration.ofMillis(300),
        Duration.ofSeconds(10 + random.nextInt(30)),
        Duration.ofSeconds(60),
        Duration.ofSeconds(5 + random.nextInt(10)),
        random.nextInt(3) == 0 ? Duration.ofMillis(250 + random.nextInt(60_000)) : t.scan(),
        Duration.ofSeconds(random.nextBoolean() ? 3 + random.nextInt(10) : 600),
        t.leaseDuration(),
        t.leaseRenew(),
        t.leaseRetry(),
        Duration.ofSeconds(1 + random.nextInt(10)));
  }
}
