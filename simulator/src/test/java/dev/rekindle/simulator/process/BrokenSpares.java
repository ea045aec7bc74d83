package dev.rekindle.simulator.process;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.SpareView;
import dev.rekindle.controller.model.SpareWish;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Controllers that are broken on purpose: they make more warm spares than they may, or keep them.
 */
public final class BrokenSpares {
  private BrokenSpares() {}

  /** 50: makes eight of each job that requests any, whatever its policy says. */
  public static Reconcilers.Factory makingMany() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Optional<JobView> job(JobKey key) {
                return super.job(key).map(BrokenSpares::greedy);
              }

              @Override
              public Optional<Policy> policy(String name) {
                return super.policy(name)
                    .map(p -> p.with(b -> b.maxSpares(8).maxSparesPerNamespace(64)));
              }
            });
  }

  /** 50: removes none. */
  public static Reconcilers.Factory removingNone() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void removeSpare(JobKey job, String pod, String uid) {}
            });
  }

  private static JobView greedy(JobView job) {
    SpareWish wish = job.spares();
    return wish.count() == 0
        ? job
        : job.withSpares(new SpareWish(8, wish.replica(), wish.template()));
  }

  /** 30: takes the room that a warm spare holds for taken, whichever job it is for. */
  public static Reconcilers.Factory seeingNoRoomOfSpares() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<NodeView> nodes() {
                Set<String> warm =
                    state.spares().stream().map(SpareView::node).collect(Collectors.toSet());
                return super.nodes().stream()
                    .map(node -> warm.contains(node.name()) ? node.withGpus(0) : node)
                    .toList();
              }
            });
  }
}
