package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.recovery.HoldReason;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.InspectorObject;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.RecoveryObject;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * All nodes that reach the volume of a job are away for a while: in mid-run, or as an inspector
 * begins to scan it. Where its recovery is held for that, some owners let the script begin without.
 */
final class VolumeTroubles extends DisturbanceSource {
  private static final int MOST_STRIKES = 2;

  /** Of so many inspectors one loses its node. */
  private static final int INSPECTORS = 3;

  /** Of so many owners one does not wait. */
  private static final int IMPATIENT = 3;

  private final Set<String> waiting = new HashSet<>();

  VolumeTroubles(Simulation simulation, RandomGenerator random, Tenants.Listener listener) {
    super(simulation, random, listener);
  }

  /** Plans it all for the time between those two. */
  void plan(Instant from, Instant to) {
    calm = to;
    if (world.jobs().list().stream().noneMatch(job -> job.setup().volumeNodes() > 0)) {
      return;
    }
    RandomTimes.plan(simulation, random, from, to, MOST_STRIKES, this::strike);
    world.inspectors().watch(this::inspected);
    world.recoveries().watch(this::held);
  }

  private void strike() {
    List<JobObject> jobs =
        world.jobs().list().stream()
            .filter(job -> !world.gang(job.meta().uid()).training().homes().isEmpty())
            .toList();
    if (!jobs.isEmpty() && !isCalm()) {
      goes(jobs.get(random.nextInt(jobs.size())));
    }
  }

  private void goes(JobObject job) {
    List<String> homes = world.gang(job.meta().uid()).training().homes();
    listener.did(
        Disturbance.VOLUME_AWAY, job.key().toString(), "the nodes with its volume go: " + homes);
    int kind = random.nextInt(3);
    Duration away = Duration.ofSeconds(10 + random.nextInt(120));
    for (String node : homes) {
      switch (kind) {
        case 0 -> simulation.levers().nodeDies(node);
        case 1 -> simulation.levers().nodeHangs(node);
        default -> simulation.levers().cutOff(node);
      }
      simulation.at(simulation.now().plus(away), () -> simulation.levers().nodeReturns(node));
    }
  }

  private void inspected(Change<InspectorObject> change) {
    InspectorObject inspector = change.after();
    if (change.before() != null
        || inspector == null
        || inspector.volume().isEmpty()
        || isCalm()
        || random.nextInt(INSPECTORS) > 0) {
      return;
    }
    simulation.at(
        simulation.now().plusMillis(random.nextInt(3_000)),
        () -> world.jobs().find(inspector.job().toString()).ifPresent(this::goes));
  }

  private void held(Change<RecoveryObject> change) {
    RecoveryObject after = change.after();
    if (after == null
        || !Check.isHeld(after.status(), HoldReason.CHECKPOINT_UNKNOWN)
        || !waiting.add(change.key())
        || random.nextInt(IMPATIENT) > 0) {
      return;
    }
    String job = after.view().job().toString();
    simulation.at(
        simulation.now().plusSeconds(5 + random.nextInt(90)),
        () -> {
          if (world.jobs().find(job).filter(j -> j.setup().volumeNodes() > 0).isPresent()) {
            listener.did(
                Disturbance.BEGINS_UNREACHABLE, job, "its owner lets its script begin without");
            world.jobs().patch(job, j -> j.withSetup(j.setup().withBeginsUnreachable(true)));
          }
        });
  }
}
