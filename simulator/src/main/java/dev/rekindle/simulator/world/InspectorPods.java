package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.TrackerOrder;
import java.time.Duration;
import java.time.Instant;

/** Starts the pods of checkpoint inspectors, and reads what they have found. */
public final class InspectorPods {
  private final World world;

  InspectorPods(World world) {
    this.world = world;
  }

  /** The inspector's pod starts in a while, as soon as a node has room for it. */
  void start(InspectorObject inspector) {
    world
        .loop()
        .after(
            world.jitter(world.timing().podStart().plus(Duration.ofMillis(700))),
            () -> {
              if (!hasRoom()) {
                start(inspector);
              } else if (world
                  .inspectors()
                  .find(inspector.meta().key())
                  .filter(i -> i.meta().uid().equals(inspector.meta().uid()))
                  .isPresent()) {
                world.inspectors().patch(inspector.meta().key(), i -> i.since(world.now()));
              }
            });
  }

  private boolean hasRoom() {
    return world.machines().stream()
        .anyMatch(
            m ->
                m.answers()
                    && world.nodes().find(m.name()).filter(n -> !n.unschedulable()).isPresent());
  }

  /** A pod that makes the job's tracker name a checkpoint starts in a while, once an attempt. */
  public void startTracker(JobObject job, TrackerOrder order) {
    TrainingProgress training = world.gang(job.meta().uid()).training();
    Tracker tracker = training.storage().tracker().orElseThrow();
    if (tracker.start(order.attempt())) {
      world
          .loop()
          .after(
              world.jitter(world.timing().podStart()),
              () -> {
                if (!world.now().isBefore(order.until())) {
                  tracker.refuse(order.attempt(), "it is too late: the job may train again");
                } else if (training.moving()) {
                  throw new IllegalStateException("a tracker is written while its job trains");
                } else {
                  tracker.rewrite(order.attempt(), order.path());
                }
              });
    }
  }

  /** What the newest report in the inspector's log says. */
  public Inspection inspection(String key) {
    InspectorObject inspector = world.inspectors().find(key).orElse(null);
    if (inspector == null) {
      return new Inspection.Absent();
    }
    Instant since = inspector.scanning();
    if (since == null) {
      return new Inspection.Pending("the inspector's pod is Pending");
    }
    Duration scan = world.timing().scan();
    long scans = Duration.between(since, world.now()).dividedBy(scan);
    if (scans < 1) {
      return new Inspection.Pending("the first scan is under way");
    }
    Instant begun = since.plus(scan.multipliedBy(scans - 1));
    JobObject job = world.jobs().get(inspector.job().toString());
    Storage storage = world.gang(job.meta().uid()).training().storage();
    return new Inspection.Report(scans, storage.judged(begun, begun.plus(scan)), "");
  }
}
