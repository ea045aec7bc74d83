package dev.rekindle.simulator.chaos;

import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.api.ApiError;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** A namespace is deleted: everything in it goes, in no order. */
final class NamespaceDeletion {
  private static final int TERMINATES_WITHIN = 500;

  private NamespaceDeletion() {}

  static void begin(Simulation simulation, String namespace, RandomGenerator random) {
    World world = simulation.world();
    world.namespaces().terminate(namespace, simulation.now().plusMillis(TERMINATES_WITHIN));
    List<Runnable> deletions = new ArrayList<>();
    world.jobs().list().stream()
        .map(JobObject::meta)
        .filter(m -> m.namespace().equals(namespace))
        .forEach(m -> deletions.add(() -> world.jobs().delete(m.key(), m.uid(), null)));
    world.pods().list().stream()
        .map(PodObject::meta)
        .filter(m -> m.namespace().equals(namespace))
        .forEach(m -> deletions.add(() -> world.pods().delete(m.key(), m.uid(), null)));
    world.recoveries().list().stream()
        .map(r -> r.meta())
        .filter(m -> m.namespace().equals(namespace))
        .forEach(m -> deletions.add(() -> world.recoveries().delete(m.key(), m.uid(), null)));
    world.orders().list().stream()
        .map(OrderObject::meta)
        .filter(m -> m.namespace().equals(namespace))
        .forEach(m -> deletions.add(() -> world.orders().delete(m.key(), m.uid(), null)));
    world.ranks().list().stream()
        .map(r -> r.meta())
        .filter(m -> m.namespace().equals(namespace))
        .forEach(m -> deletions.add(() -> world.ranks().delete(m.key(), m.uid(), null)));
    for (Runnable deletion : deletions) {
      simulation.at(
          simulation.now().plusMillis(random.nextInt(TERMINATES_WITHIN)),
          () -> {
            try {
              deletion.run();
            } catch (ApiError gone) {
              // With its owner, by then.
            }
          });
    }
  }
}
