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
    try {
      var _ =
          api.attempt(
              () -> {
                if (world.hasListeners()) {
                  world.emit(
                      Kind.EVENT,
                      event.job() == null ? event.node() : event.job().toString(),
                      event.reason().word() + ": " + event.note());
                }
                observer.announced(event);
                return event;
              });
    } catch (ApiError unheard) {
      // Best effort.
    }
  }
}
