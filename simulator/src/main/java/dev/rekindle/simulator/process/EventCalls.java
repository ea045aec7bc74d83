package dev.rekindle.simulator.process;

import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.simulator.api.ApiError;
import dev.rekindle.simulator.world.SimEvent.Kind;
import dev.rekindle.simulator.world.World;

/** Calls that record events: best effort. */
final class EventCalls {
  private final World world;
  private final ApiCalls api;
  private final WriteObserver observer;

  EventCalls(World world, ApiCalls api, WriteObserver observer) {
    this.world = world;
    this.api = api;
    this.observer = observer;
  }

  void record(ClusterEvent event) {
    record(event, false);
  }

  /** One that is there stays as it is. */
  void recordOnce(ClusterEvent event) {
    record(event, true);
  }

  private void record(ClusterEvent event, boolean once) {
    try {
      var _ =
          api.attempt(
              () -> {
                if (world.write(event) || !once) {
                  written(event);
                }
                return event;
              });
    } catch (ApiError unheard) {
      // Best effort. What a process that no longer leads had to say is for the next one to say.
      if (!api.isDeposed()) {
        observer.unannounced(event);
      }
    }
  }

  private void written(ClusterEvent event) {
    if (world.hasListeners()) {
      world.emit(
          Kind.EVENT,
          event.job() == null ? event.node() : event.job().toString(),
          event.reason().word() + ": " + event.note());
    }
    observer.announced(event);
  }
}
