package dev.rekindle.simulator.process;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.simulator.api.ApiError;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.util.Optional;

/** Calls about recoveries. */
final class RecoveryCalls {
  private final World world;
  private final ApiCalls api;
  private final FlatState state;
  private final WriteObserver observer;

  RecoveryCalls(World world, ApiCalls api, FlatState state, WriteObserver observer) {
    this.world = world;
    this.api = api;
    this.state = state;
    this.observer = observer;
  }

  RecoveryView open(RecoveryView draft) {
    RecoveryObject stored =
        api.call(
            () -> {
              String key = draft.namespace() + "/" + draft.name();
              Optional<RecoveryObject> there = world.recoveries().find(key);
              if (there.isPresent()) {
                return there.get();
              }
              world.namespaces().admit(draft.namespace());
              RecoveryObject created =
                  world
                      .recoveries()
                      .create(
                          new RecoveryObject(
                              Meta.draft(draft.namespace(), draft.name(), ""), draft.spec(), null));
              observer.opened(created);
              return created;
            });
    state.created(stored.view());
    return stored.view();
  }

  RecoveryView save(RecoveryView recovery) {
    String key = recovery.namespace() + "/" + recovery.name();
    RecoveryStatus next = recovery.status();
    if (next != null && next.phase() == RecoveryPhase.RECOVERED) {
      observer.concludes(recovery, state.pods(recovery.job()));
    }
    RecoveryObject stored;
    try {
      stored =
          api.attempt(
              () ->
                  world
                      .recoveries()
                      .update(
                          key,
                          Long.parseLong(recovery.resourceVersion()),
                          r -> {
                            observer.saved(r, recovery.status());
                            return r.with(recovery.status());
                          }));
    } catch (ApiError error) {
      if (error.code() == ApiError.NOT_FOUND) {
        state.gone(recovery);
        throw new StaleException("recovery " + key + " is gone");
      }
      throw ApiCalls.translated(error);
    }
    state.stored(stored.view());
    return stored.view();
  }

  void remove(RecoveryView recovery) {
    String key = recovery.namespace() + "/" + recovery.name();
    var _ =
        api.find(
            () -> {
              RecoveryObject there = world.recoveries().get(key);
              if (there.meta().uid().equals(recovery.uid())) {
                observer.removed(there);
              }
              world.recoveries().delete(key, recovery.uid(), null);
              return key;
            });
    state.gone(recovery);
  }
}
