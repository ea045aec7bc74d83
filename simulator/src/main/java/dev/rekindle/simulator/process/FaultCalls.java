package dev.rekindle.simulator.process;

import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.fault.FaultState;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.world.FaultObject;
import dev.rekindle.simulator.world.World;
import java.time.InstantSource;
import java.util.Objects;
import java.util.function.UnaryOperator;

/** Calls about node faults: only those that change something are made. */
final class FaultCalls {
  private final World world;
  private final ApiCalls api;
  private final InstantSource clock;

  FaultCalls(World world, ApiCalls api, InstantSource clock) {
    this.world = world;
    this.api = api;
    this.clock = clock;
  }

  void raise(FaultObservation observation) {
    api.change(
        () -> {
          FaultObject stored =
              api.find(() -> world.faults().get(observation.name()))
                  .orElseGet(() -> api.attempt(() -> created(observation)));
          write(stored, stored.state().found(observation));
        });
  }

  /** Without the label by which agents find what they may clear. */
  private FaultObject created(FaultObservation observation) {
    return world
        .faults()
        .create(
            FaultObject.of(
                Meta.draft("", observation.name(), ""),
                new FaultState(observation.fault(), null),
                false));
  }

  void clear(String fault, String by) {
    api.change(
        () ->
            api.find(() -> world.faults().get(fault))
                .filter(f -> f.view().detector().equals(by))
                .ifPresent(f -> write(f, f.state().cleared(by, clock.instant()))));
  }

  void forget(String fault, String nodeUid) {
    api.change(
        () ->
            api.find(() -> world.faults().get(fault))
                .filter(f -> f.view().nodeUid().equals(nodeUid))
                .ifPresent(
                    f -> {
                      var _ =
                          api.attempt(
                              () -> {
                                // A later write has seen it on another Node.
                                var _ =
                                    world.faults().update(fault, f.meta().version(), same -> same);
                                world.faults().delete(fault, f.meta().uid(), null);
                                return f;
                              });
                    }));
  }

  /** Makes only those calls that change something. */
  private void write(FaultObject before, FaultState next) {
    FaultObject stored = before;
    if (!next.spec().equals(before.state().spec())) {
      stored = written(stored, f -> f.with(next.spec()));
    }
    if (!Objects.equals(next.status(), before.state().status())) {
      var _ = written(stored, f -> f.with(next.status()));
    }
  }

  private FaultObject written(FaultObject stored, UnaryOperator<FaultObject> change) {
    Meta meta = stored.meta();
    return api.attempt(() -> world.faults().update(meta.key(), meta.version(), change));
  }
}
