package dev.rekindle.simulator.world;

import dev.rekindle.simulator.api.Change;

/** Which component of the cluster reacts to which change of an object, and in which order. */
final class Reactions {
  private final World world;
  private final Operator operator;
  private final Scheduler scheduler;
  private final SparePods spares;
  private final PodIndex podIndex;

  Reactions(World world, PodIndex podIndex) {
    this.world = world;
    this.podIndex = podIndex;
    this.operator = new Operator(world);
    this.scheduler = new Scheduler(world);
    this.spares = new SparePods(world);
  }

  /** Begins to watch everything. */
  void watch() {
    world.jobs().watch(this::jobChanged);
    world.pods().watch(this::podChanged);
    world.nodes().watch(_ -> scheduler.changed());
    world
        .podGroups()
        .all()
        .watch(
            change -> {
              world.podGroups().changed(change);
              scheduler.changed();
            });
    world
        .spares()
        .watch(
            change -> {
              scheduler.changed();
              spares.changed(change);
            });
    world.orders().watch(this::orderChanged);
    world.inspectors().watch(this::inspectorChanged);
  }

  private void jobChanged(Change<JobObject> change) {
    if (change.after() != null) {
      operator.changed(change.object().key());
    }
  }

  private void podChanged(Change<PodObject> change) {
    PodObject pod = change.object();
    podIndex.changed(change);
    if (change.before() == null) {
      world.podGroups().created(pod);
    }
    operator.changed(change);
    scheduler.changed();
    if (!pod.node().isEmpty()) {
      world.kubelet(pod.node()).changed(change);
    }
    world.nodeAgents().changed(change);
    if (pod.rank() == 0 && change.after() != null && pod.status().ready()) {
      masterReady(change, pod);
    }
  }

  /** Workers wait for the name of their master, which is there once it is ready. */
  private void masterReady(Change<PodObject> change, PodObject master) {
    PodObject before = change.before();
    if (before == null || !before.status().ready()) {
      for (PodObject pod : world.podsOf(master.job())) {
        if (pod.rank() > 0 && !pod.node().isEmpty()) {
          world.kubelet(pod.node()).masterReady(pod);
        }
      }
    }
  }

  private void orderChanged(Change<OrderObject> change) {
    OrderObject order = change.object();
    world
        .gangs()
        .find(order.spec().jobUid())
        .ifPresent(
            gang -> {
              if (change.after() == null) {
                gang.withdrawn(order);
              } else {
                gang.ordered(order, attempt(order));
              }
            });
    world.nodeAgents().ordered(change);
  }

  /** The attempt of the job's template, as it is now. */
  private String attempt(OrderObject order) {
    return world
        .jobs()
        .find(order.job().toString())
        .map(job -> job.template().attempt())
        .orElse("");
  }

  private void inspectorChanged(Change<InspectorObject> change) {
    InspectorObject created = change.after();
    if (change.before() == null && created != null) {
      world.inspectorPods().start(created);
    }
  }
}
