package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.setup.JobSetup.Recorder;
import dev.rekindle.simulator.setup.JobSetup.Traces;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.RecoveryObject;
import java.time.Instant;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Ranks that hang where no hardware says anything: at their start, once a job was brought back
 * before; on a node on which a rank of each gang hangs after some steps; and again and again in a
 * job that shows nothing of it.
 */
final class HangingRanks extends DisturbanceSource {
  private static final int SEEDS = 9;
  private static final int MOST = 2;
  private static final int MOST_UNSEEN = 5;
  private int left = MOST;
  private int unseenLeft = MOST_UNSEEN;
  private String unseen = "";

  HangingRanks(Simulation simulation, RandomGenerator random, Tenants.Listener listener) {
    super(simulation, random, listener);
  }

  /** Plans it all for the time between those two. Hangs at the start happen in the calm, too. */
  void plan(Instant from, Instant to) {
    calm = to;
    if (random.nextInt(SEEDS) == 0) {
      RandomTimes.plan(simulation, random, from, to, 2, this::onNode);
    }
    if (random.nextInt(SEEDS) == 0) {
      world.recoveries().watch(this::moved);
    }
    if (random.nextInt(SEEDS) == 0) {
      RandomTimes.plan(simulation, random, from, to, 3, this::unseen);
      world.recoveries().watch(this::unseenAgain);
    }
  }

  /** Nothing hangs on nodes any more; ranks that do hang stay so. */
  void calm() {
    for (NodeObject node : world.nodes().list()) {
      world.jobFaults().hangOn(node.meta().name(), false);
    }
  }

  private void onNode() {
    List<NodeObject> nodes = world.nodes().list();
    if (!nodes.isEmpty()) {
      String node = nodes.get(random.nextInt(nodes.size())).meta().name();
      listener.did(Disturbance.NODE_HANGS_RANKS, node, "ranks on it hang after some steps");
      world.jobFaults().hangOn(node, true);
    }
  }

  /** Only of a job that has printed steps is it known that it would print them. */
  private void moved(Change<RecoveryObject> change) {
    RecoveryObject after = change.after();
    if (after == null
        || left == 0
        || !isRecovered(after.status())
        || (change.before() != null && isRecovered(change.before().status()))
        || !after.view().sawSteps()) {
      return;
    }
    left--;
    String uid = after.spec().jobUid();
    simulation.at(
        simulation.now().plusMillis(2_000 + random.nextInt(40_000)),
        () -> atStart(after.view().job(), uid));
  }

  /** A job whose agents find no dump, stack or log line that shows the rank that hangs. */
  private void unseen() {
    List<JobObject> jobs =
        world.jobs().list().stream()
            .filter(job -> job.setup().recorder() == Recorder.NONE)
            .filter(job -> job.setup().traces() == Traces.NONE)
            .toList();
    if (unseen.isEmpty() && !jobs.isEmpty()) {
      JobObject job = jobs.get(random.nextInt(jobs.size()));
      unseen = job.meta().uid();
      hang(job.key(), unseen);
    }
  }

  private void unseenAgain(Change<RecoveryObject> change) {
    RecoveryObject after = change.after();
    if (after != null
        && after.spec().jobUid().equals(unseen)
        && isRecovered(after.status())
        && (change.before() == null || !isRecovered(change.before().status()))) {
      simulation.at(
          simulation.now().plusMillis(1_000 + random.nextInt(15_000)),
          () -> hang(after.view().job(), unseen));
    }
  }

  private void hang(JobKey job, String uid) {
    if (unseenLeft > 0 && isThere(job, uid)) {
      unseenLeft--;
      int rank = random.nextInt(2);
      listener.did(
          Disturbance.HANGS_UNSEEN, job.toString(), "rank %d hangs unseen".formatted(rank));
      world.jobFaults().hang(job, rank);
    }
  }

  private boolean isThere(JobKey job, String uid) {
    return world.jobs().find(job.toString()).filter(j -> j.meta().uid().equals(uid)).isPresent();
  }

  private static boolean isRecovered(@Nullable RecoveryStatus status) {
    return status != null && status.phase() == RecoveryPhase.RECOVERED;
  }

  private void atStart(JobKey job, String uid) {
    if (isThere(job, uid)) {
      int rank = random.nextInt(2);
      listener.did(
          Disturbance.RANK_HANGS_AT_START,
          job.toString(),
          "rank %d ends, and hangs at its next start".formatted(rank));
      world.jobFaults().hangAtStart(job, rank);
      world.jobFaults().die(job, rank, 1);
    }
  }
}
