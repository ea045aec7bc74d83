package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.kubernetes.convert.InspectorJob;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.recovery.HoldReason;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.process.Answers.Answer;
import dev.rekindle.simulator.process.Answers.Call;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Rare faults, each in a share of the seeds: launchers that end with a code that requests
 * something, nodes that a person cordons, writes on nodes that are refused at the moment when a
 * recovery ends and writes its notes, ranks that print different lines, leaders that die as they
 * open a recovery, users who stop a job that has gone back, and people who delete inspectors.
 */
final class RareTroubles {
  private static final int SEEDS = 10;
  private static final int MOST_CORDONED = 6;

  private static final List<Integer> CODES =
      List.of(
          PodView.Failure.NEVER_RESTART,
          PodView.Failure.NEVER_RESTART,
          PodView.Failure.RERUN,
          PodView.Failure.RESULT_REJECTED);

  private final Simulation simulation;
  private final World world;
  private final RandomGenerator random;
  private final Tenants.Listener listener;
  private final AgentUpgrade upgrade;
  private Instant calm = Instant.MAX;

  RareTroubles(Simulation simulation, RandomGenerator random, Tenants.Listener listener) {
    this.simulation = simulation;
    this.world = simulation.world();
    this.random = random;
    this.listener = listener;
    this.upgrade = new AgentUpgrade(simulation, random, listener);
  }

  /** Whether all agents are away, as an upgrade of theirs fails. */
  boolean unfinished() {
    return upgrade.unfinished();
  }

  /** Plans it all for the time between those two. */
  void plan(Instant from, Instant to) {
    calm = to;
    if (random.nextInt(SEEDS) == 0) {
      RandomTimes.plan(simulation, random, from, to, 3, this::exit);
    }
    if (random.nextInt(SEEDS) == 0) {
      // In half of the cases at the start.
      Instant begin = random.nextBoolean() ? from : to;
      RandomTimes.plan(simulation, random, from, begin.plusMillis(1), 3, this::cordon);
    }
    if (random.nextInt(SEEDS) == 0) {
      world.recoveries().watch(this::ended);
    }
    if (random.nextInt(SEEDS) == 0) {
      world.jobs().list().forEach(this::printsApart);
    }
    if (random.nextInt(SEEDS) == 0) {
      world.recoveries().watch(this::opened);
    }
    if (random.nextInt(SEEDS) == 0) {
      RandomTimes.plan(simulation, random, from, to, 3, this::goBack);
      world.recoveries().watch(this::wentBack);
    }
    if (random.nextBoolean()) {
      // Few recoveries are held for that.
      world.recoveries().watch(this::unjudged);
    }
    upgrade.plan();
  }

  /** In the middle of its training, or at its next start. */
  private void exit() {
    List<JobObject> jobs = world.jobs().list();
    if (jobs.isEmpty()) {
      return;
    }
    JobKey job = jobs.get(random.nextInt(jobs.size())).key();
    int rank = random.nextInt(2);
    int code = CODES.get(random.nextInt(CODES.size()));
    boolean atStart = random.nextBoolean();
    listener.did(
        Disturbance.LAUNCHER_EXITED,
        job.toString(),
        "the launcher of rank %d ends with code %d%s"
            .formatted(rank, code, atStart ? " at its next start" : ""));
    if (atStart) {
      world.jobFaults().failStarts(job, rank, 1, code);
    }
    world.jobFaults().die(job, rank, atStart ? 1 : code);
  }

  /** Nodes without pods first, as before maintenance. They are uncordoned for the calm. */
  private void cordon() {
    int left = 1 + random.nextInt(MOST_CORDONED);
    for (NodeObject node : world.nodes().list()) {
      String name = node.meta().name();
      if (left > 0 && !node.unschedulable() && world.pods().list("spec.nodeName", name).isEmpty()) {
        left--;
        listener.did(Disturbance.CORDONED_BY_HAND, name, "is cordoned by hand");
        world.nodes().patch(name, n -> n.cordoned(true, ""));
      }
    }
  }

  /** From its first day on, one rank prints late, or a loss of its own. */
  private void printsApart(JobObject job) {
    int rank = random.nextInt(2);
    if (random.nextBoolean()) {
      Duration by = Duration.ofMillis(1_000 + random.nextInt(8_000));
      listener.did(
          Disturbance.RANKS_PRINT_APART,
          job.key().toString(),
          "rank %d prints late".formatted(rank));
      world.jobFaults().printLate(job.key(), rank, by);
    } else {
      listener.did(
          Disturbance.RANKS_PRINT_APART,
          job.key().toString(),
          "rank %d prints a loss that is no number".formatted(rank));
      world.jobFaults().printNoLoss(job.key(), rank);
    }
  }

  /** A leader dies between the creation of a recovery and its first status. */
  private void opened(Change<RecoveryObject> change) {
    if (change.before() == null && simulation.now().isBefore(calm) && random.nextBoolean()) {
      listener.did(Disturbance.LEADER_DIED_OPENING, "controller", "dies as it opens a recovery");
      simulation.at(
          simulation.now().plusMillis(random.nextInt(30)), simulation.levers()::controllerDies);
    }
  }

  /** A script asks to go back by some checkpoints. */
  private void goBack() {
    List<JobObject> jobs = world.jobs().list();
    if (!jobs.isEmpty()) {
      JobKey job = jobs.get(random.nextInt(jobs.size())).key();
      simulation.levers().rollBackAsked(job, random.nextInt(2), 20 + random.nextInt(150));
    }
  }

  /** Its user stops it as the gang that has gone back begins, and it fails soon after. */
  private void wentBack(Change<RecoveryObject> change) {
    RecoveryStatus before = change.before() == null ? null : change.before().status();
    RecoveryStatus after = change.after() == null ? null : change.after().status();
    if (before == null
        || after == null
        || before.phase() == after.phase()
        || (after.phase() != RecoveryPhase.RESUMING && after.phase() != RecoveryPhase.VERIFYING)
        || after.cause() == null
        || after.cause().beforeStep() == null
        || !simulation.now().isBefore(calm)) {
      return;
    }
    JobKey job = change.object().view().job();
    later(3_000, () -> ifThere(job, simulation.levers()::suspend));
    later(15_000, () -> ifThere(job, simulation.levers()::resume));
    later(40_000, () -> ifThere(job, j -> world.jobFaults().die(j, 0, 1)));
  }

  /** A person deletes the Job of an inspector that does not report. Also in the calm. */
  private void unjudged(Change<RecoveryObject> change) {
    RecoveryObject after = change.after();
    if (after == null || !Check.isHeld(after.status(), HoldReason.CHECKPOINT_UNKNOWN)) {
      return;
    }
    String key = after.meta().namespace() + "/" + InspectorJob.name(after.meta().name());
    simulation.at(
        simulation.now().plusMillis(random.nextInt(5_000)),
        () -> {
          if (world.inspectors().find(key).isPresent()) {
            listener.did(Disturbance.INSPECTOR_DELETED, key, "somebody deletes the inspector");
            world.inspectors().delete(key, "", null);
          }
        });
  }

  private void later(int mostMillis, Runnable then) {
    Instant at = simulation.now().plusMillis(mostMillis / 2 + random.nextInt(mostMillis / 2));
    if (at.isBefore(calm)) {
      simulation.at(at, then);
    }
  }

  private void ifThere(JobKey job, Consumer<JobKey> act) {
    if (world.jobs().find(job.toString()).isPresent()) {
      act.accept(job);
    }
  }

  private void ended(Change<RecoveryObject> change) {
    RecoveryObject after = change.after();
    if (after == null
        || !isOver(after.status())
        || (change.before() != null && isOver(change.before().status()))
        || !simulation.now().isBefore(calm)) {
      return;
    }
    Instant until = simulation.now().plusMillis(2_000 + random.nextInt(20_000));
    listener.did(Disturbance.NOTES_REFUSED, "API server", "notes on nodes are refused for a while");
    simulation
        .fleet()
        .answers()
        .add(
            new Answer(
                EnumSet.of(Call.RECORD_INCIDENT, Call.RECORD_STALL),
                null,
                503,
                "the server is currently unable to handle the request",
                Duration.ZERO,
                until));
  }

  private static boolean isOver(@Nullable RecoveryStatus status) {
    return status != null && status.phase() != null && status.phase().isTerminal();
  }
}
