package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.PodView;
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
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What befalls few seeds, each in a share of them: launchers that end with a code by which they ask
 * for something, nodes that somebody cordons by hand, writes on nodes that are refused in the
 * moment in which a recovery ends and has to note what it found, and ranks that differ in what they
 * print.
 */
final class RareTroubles {
  private static final int SEEDS = 10;
  private static final int MOST_CORDONED = 4;

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
  private Instant calm = Instant.MAX;

  RareTroubles(Simulation simulation, RandomGenerator random, Tenants.Listener listener) {
    this.simulation = simulation;
    this.world = simulation.world();
    this.random = random;
    this.listener = listener;
  }

  /** Plans it all for the time between those two. */
  void plan(Instant from, Instant to) {
    calm = to;
    if (random.nextInt(SEEDS) == 0) {
      RandomTimes.plan(simulation, random, from, to, 3, this::exit);
    }
    if (random.nextInt(SEEDS) == 0) {
      // Some from the first day on.
      Instant begin = random.nextBoolean() ? from : to;
      RandomTimes.plan(simulation, random, from, begin.plusMillis(1), 3, this::cordon);
    }
    if (random.nextInt(SEEDS) == 0) {
      world.recoveries().watch(this::ended);
    }
    if (random.nextInt(SEEDS) == 0) {
      world.jobs().list().forEach(this::printsApart);
    }
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

  /** For the calm somebody uncordons them. */
  private void cordon() {
    List<NodeObject> nodes = world.nodes().list();
    int first = random.nextInt(nodes.size());
    for (int i = random.nextInt(MOST_CORDONED); i >= 0; i--) {
      String node = nodes.get((first + i) % nodes.size()).meta().name();
      if (!world.nodes().get(node).unschedulable()) {
        listener.did(Disturbance.CORDONED_BY_HAND, node, "is cordoned by hand");
        world.nodes().patch(node, n -> n.cordoned(true, ""));
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
