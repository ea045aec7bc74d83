package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.SimEvent.Kind;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.LongFunction;
import java.util.random.RandomGenerator;

/**
 * Disturbances without broken hardware: failures of agents ({@link AgentTroubles}), and tenants who
 * change their jobs in mid-run, forge log lines, delete their namespace or copy marks of other
 * jobs. All of them are drawn from the seed.
 */
final class Disturbances {
  /** The other faults of a seed do not depend on the draws from these. */
  private static final long MISCHIEF = 0x5DEECE66DL;

  private static final long BY_HAND = 0x68616E6473L;
  private static final long TEMPLATES = 0x74656D706CL;
  private static final long POISONS = 0x504f49534f4e53L;
  private static final long STOLEN = 0x53544F4C454EL;
  private static final long LOGS = 0x4C4F4753L;
  private static final long LYING = 0x4c59494e47414745L;
  private static final long WISHES = 0x574953484553L;
  private static final long ACTS = 0x41435453L;
  private static final long AROUND = 0x41524F554E44L;
  private static final long RARE = 0x52415245L;
  private static final long CRASHES = 0x4352415348L;
  private static final long ABOVE = 0x41424F5645L;
  private static final long OTHERS = 0x4F5448455253L;
  private static final long VANISHING = 0x56414E495348L;
  private static final long SPENT = 0x5350454E54L;
  private static final long LEASES = 0x4C4541534553L;
  private static final long HANGS = 0x48414E4753L;
  private static final long IMAGES = 0x494D41474553L;
  private static final long UNREAD = 0x554E52454144L;
  private static final long VOLUMES = 0x564F4C554D4553L;
  private static final long OUTAGES = 0x4F555441474553L;
  private static final long SWITCHES = 0x5357495443484553L;
  private static final long DEVICES = 0x44455649434553L;

  private final Simulation simulation;
  private final World world;
  private final SplittableRandom random;
  private final Map<Disturbance, Integer> counts = new EnumMap<>(Disturbance.class);
  private final Set<String> unnoticed = new HashSet<>();
  private final Tenants tenants;
  private final NodeChanges hosts;
  private final ManualEdits hands;
  private final Templates templates;
  private final Poisons poisons;
  private final StolenAgent stolenAgent;
  private final LostLines lines;
  private final LyingAgent lyingAgent;
  private final LateOptOuts optOuts;
  private final LaxPolicy lax;
  private final OwnersInTheAct owners;
  private final TroubleAgain again;
  private final QueueTroubles queues;
  private final RailTroubles rails;
  private final RareTroubles rare;
  private final CrashingPrograms crashes;
  private final PolicyInTheAct above;
  private final OthersAtWork others;
  private final SpentCheckpoints spent;
  private final VanishingGpus vanishing;
  private final LateLeases leases;
  private final HangingRanks hangs;
  private final MissingImages images;
  private final UnreadGangs unread;
  private final LongOutages outages;
  private final SwitchTroubles switches;
  private final VolumeTroubles volumes;
  private final DeviceTroubles devices;
  private final AgentTroubles agents;
  private Instant calm = Instant.MAX;

  /**
   * @param draws gives the numbers of a seed for one purpose, by the constant that stands for it
   */
  Disturbances(Simulation simulation, Policy policy, LongFunction<SplittableRandom> draws) {
    this.simulation = simulation;
    this.world = simulation.world();
    this.random = draws.apply(MISCHIEF);
    RandomGenerator wishes = draws.apply(WISHES);
    RandomGenerator acts = draws.apply(ACTS);
    RandomGenerator around = draws.apply(AROUND);
    this.tenants = new Tenants(simulation, random.split(), policy, this::did);
    this.hosts = new NodeChanges(simulation, random.split(), this::did);
    this.hands = new ManualEdits(simulation, draws.apply(BY_HAND), this::did);
    this.templates = new Templates(simulation, draws.apply(TEMPLATES), this::did);
    this.poisons = new Poisons(simulation, draws.apply(POISONS), this::did);
    this.stolenAgent = new StolenAgent(simulation, draws.apply(STOLEN), this::did);
    this.lines = new LostLines(simulation, draws.apply(LOGS), this::did);
    this.lyingAgent = new LyingAgent(simulation, draws.apply(LYING), this::did);
    this.optOuts = new LateOptOuts(simulation, wishes, this::did);
    this.lax = new LaxPolicy(simulation, wishes, policy, this::did);
    this.owners = new OwnersInTheAct(simulation, acts, this::did);
    this.again = new TroubleAgain(simulation, acts, this::did);
    this.queues = new QueueTroubles(simulation, around, this::did);
    this.rails = new RailTroubles(simulation, around, this::did);
    this.rare = new RareTroubles(simulation, draws.apply(RARE), this::did);
    this.crashes = new CrashingPrograms(simulation, draws.apply(CRASHES), this::did);
    this.above = new PolicyInTheAct(simulation, draws.apply(ABOVE), this::did);
    this.others = new OthersAtWork(simulation, draws.apply(OTHERS), this::did);
    this.spent = new SpentCheckpoints(simulation, draws.apply(SPENT), this::did);
    this.vanishing = new VanishingGpus(simulation, draws.apply(VANISHING), this::did);
    this.leases = new LateLeases(simulation, draws.apply(LEASES), this::did);
    this.hangs = new HangingRanks(simulation, draws.apply(HANGS), this::did);
    this.images = new MissingImages(simulation, draws.apply(IMAGES), this::did);
    this.unread = new UnreadGangs(simulation, draws.apply(UNREAD), this::did);
    this.outages = new LongOutages(simulation, draws.apply(OUTAGES), this::did);
    this.switches = new SwitchTroubles(simulation, draws.apply(SWITCHES), this::did);
    this.volumes = new VolumeTroubles(simulation, draws.apply(VOLUMES), this::did);
    this.devices = new DeviceTroubles(simulation, draws.apply(DEVICES), this::did);
    this.agents = new AgentTroubles(simulation, random, this::did);
  }

  /** Plans it all for the time between those two. */
  void plan(Instant from, Instant to) {
    calm = to;
    tenants.plan(from, to);
    hosts.plan(from, to);
    hands.plan(from, to);
    templates.plan(from, to);
    poisons.plan(from, to);
    stolenAgent.plan(from, to);
    lines.plan(from, to);
    lyingAgent.plan(from, to);
    optOuts.plan(to);
    lax.plan(from, to);
    owners.plan(to);
    again.plan();
    queues.plan(from, to);
    rails.plan(from, to);
    rare.plan(from, to);
    crashes.plan(from, to);
    above.plan(to);
    others.plan(from, to);
    spent.plan(from, to);
    vanishing.plan(from, to);
    leases.plan(to);
    hangs.plan(from, to);
    images.plan(from, to);
    unread.plan(from, to);
    outages.plan(to);
    switches.plan(from, to);
    volumes.plan(from, to);
    devices.plan(from, to);
    agents.plan(to);
    if (random.nextInt(8) == 0) {
      namesMissingPolicyForGood();
    }
    long window = Duration.between(from, to).toMillis();
    for (int i = random.nextInt(6); i > 0; i--) {
      simulation.at(from.plusMillis(random.nextLong(window)), this::strike);
    }
  }

  /** Whether all agents are away, as an upgrade of theirs fails. */
  boolean agentsAreAway() {
    return rare.unfinished();
  }

  /** Whether something that it began continues. */
  boolean unfinished() {
    return rare.unfinished()
        || above.unfinished()
        || others.unfinished()
        || vanishing.unfinished()
        || outages.unfinished()
        || switches.unfinished()
        || devices.unfinished();
  }

  /** How often each was done. */
  Map<Disturbance, Integer> counts() {
    return counts;
  }

  private void did(Disturbance danger, String subject, String text) {
    counts.merge(danger, 1, Integer::sum);
    world.emit(Kind.FAULT, subject, text);
  }

  private void strike() {
    List<JobObject> jobs = world.jobs().list();
    if (jobs.isEmpty()) {
      return;
    }
    JobObject job = jobs.get(random.nextInt(jobs.size()));
    switch (random.nextInt(16)) {
      case 0, 1 -> agents.refuse(agents.near(job));
      case 2 -> agents.blind(agents.near(job));
      case 3 -> agents.fillDisk(agents.near(job));
      case 4 -> agents.loseCalls();
      case 5, 6 -> agents.stepClock(agents.near(job));
      case 7, 8 -> changeMode(job);
      case 9 -> nameMissingPolicy(job);
      case 10, 11 -> forgeRestarts(job.key());
      case 12, 13 -> forgeSteps(job.key());
      case 14 -> forgeKernelLine(agents.near(job));
      default -> deleteNamespace(job.meta().namespace());
    }
  }

  private void changeMode(JobObject job) {
    OptIn next =
        switch (random.nextInt(5)) {
          case 0 -> new OptIn.Yes(Mode.OBSERVE);
          case 1 -> new OptIn.Yes(Mode.APPROVE);
          case 2 -> new OptIn.Unusable("rekindle.dev/recover says 'yes please'");
          default -> new OptIn.Yes(Mode.AUTO);
        };
    did(Disturbance.MODE_CHANGED, job.key().toString(), "its user asks for " + next);
    world.jobs().patch(job.meta().key(), j -> j.with(next));
  }

  /** Put right when the calm comes. */
  private void nameMissingPolicy(JobObject job) {
    did(
        Disturbance.POLICY_MISSING,
        job.key().toString(),
        "its user names a policy that is not there");
    world.jobs().patch(job.meta().key(), j -> j.withPolicy("no-such-policy"));
  }

  /** From its first day on. */
  private void namesMissingPolicyForGood() {
    List<JobObject> jobs = world.jobs().list();
    JobObject job = jobs.get(random.nextInt(jobs.size()));
    nameMissingPolicy(job);
    unnoticed.add(job.meta().uid());
  }

  /** A script that prints the line that requests a restart, over and over. */
  private void forgeRestarts(JobKey job) {
    did(Disturbance.RESTARTS_FORGED, job.toString(), "it prints lines that ask for a restart");
    for (int i = 0; i < 5; i++) {
      Instant then = simulation.now().plusMillis(1 + 2_000L * i);
      if (then.isBefore(calm)) {
        simulation.at(
            then,
            () -> {
              if (world.jobs().find(job.toString()).isPresent()) {
                world.jobFaults().askForRestart(job, random.nextInt(2), null);
              }
            });
      }
    }
  }

  private void forgeSteps(JobKey job) {
    long by = random.nextBoolean() ? 1_000_000 : -random.nextInt(1_000);
    did(Disturbance.STEPS_FORGED, job.toString(), "it prints steps that it has not made");
    world.jobFaults().forgeSteps(job, random.nextInt(2), by);
  }

  private void forgeKernelLine(String node) {
    did(Disturbance.KERNEL_LINES_FORGED, node, "a process writes an XID into its kernel log");
    world.hardware().forgesKernelLine(node);
  }

  private void deleteNamespace(String namespace) {
    did(Disturbance.NAMESPACE_DELETED, namespace, "is deleted");
    NamespaceDeletion.begin(simulation, namespace, random);
  }

  /** What people can put right is. */
  void calm() {
    tenants.calm();
    above.calm();
    hosts.calm();
    templates.calm();
    stolenAgent.calm();
    lyingAgent.calm();
    queues.calm();
    rails.calm();
    hangs.calm();
    devices.calm();
    agents.calm();
    for (JobObject job : world.jobs().list()) {
      if (!job.policy().equals("default")
          && !unnoticed.contains(job.meta().uid())
          && !lax.isKept(job)) {
        world.emit(Kind.FAULT, job.key().toString(), "its user names the policy that is there");
        world.jobs().patch(job.meta().key(), j -> j.withPolicy("default"));
      }
      world.jobFaults().forgeSteps(job.key(), 0, 0);
      world.jobFaults().forgeSteps(job.key(), 1, 0);
    }
  }
}
