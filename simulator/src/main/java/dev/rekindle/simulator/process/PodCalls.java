package dev.rekindle.simulator.process;

import dev.rekindle.controller.model.GivenCheckpoint;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.simulator.api.ApiError;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.SimEvent.Kind;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.util.List;

/** Calls about pods of training jobs. */
final class PodCalls {
  private final World world;
  private final ApiCalls api;
  private final WriteObserver observer;

  PodCalls(World world, ApiCalls api, WriteObserver observer) {
    this.world = world;
    this.api = api;
    this.observer = observer;
  }

  List<PodView> list(JobKey job) {
    return api.call(() -> world.podsOf(job).stream().map(PodObject::view).toList());
  }

  void injectResume(JobKey key, String pod, String uid, GivenCheckpoint given) {
    String path = given.path();
    Long step = given.step();
    var _ =
        api.find(
            () -> {
              String name = key.namespace() + "/" + pod;
              if (world.pods().get(name).meta().uid().equals(uid)) {
                world.emit(
                    Kind.POD,
                    pod,
                    path.isEmpty() ? "resumes by itself" : "is to resume from " + path);
                world.pods().patch(name, p -> p.resumingFrom(path, step == null ? -1 : step));
              }
              return name;
            });
  }

  /** One that is gone was made for a job that is suspended by now. */
  void requeue(String namespace, String group, String mark) {
    var _ =
        api.find(
            () -> {
              String name = namespace + "/" + group;
              world.emit(Kind.POD, name, "its PodGroup is to be tried again: " + mark);
              return world.podGroups().all().patch(name, g -> g.marked(mark));
            });
  }

  void delete(JobKey key, String pod, String uid, Duration grace) {
    try {
      var _ =
          api.attempt(
              () -> {
                String name = key.namespace() + "/" + pod;
                PodObject there = world.pods().get(name);
                if (there.meta().uid().equals(uid)) {
                  observer.deleted(there, grace);
                }
                world.pods().delete(name, uid, grace);
                return name;
              });
    } catch (ApiError error) {
      // Gone, or another pod has the name.
      if (error.code() != ApiError.NOT_FOUND && error.code() != ApiError.CONFLICT) {
        throw ApiCalls.translated(error);
      }
    }
  }
}
