package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.world.RankProcess.State;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How the processes of a gang find each other: at the store that rank 0 serves. */
final class Rendezvous {
  private final World world;
  private final JobKey job;
  private final GangProcesses processes;
  private final Generations generations;

  Rendezvous(World world, JobKey job, GangProcesses processes, Generations generations) {
    this.world = world;
    this.job = job;
    this.processes = processes;
    this.generations = generations;
  }

  /**
   * A rank that finds the store of an old leader waits there, and dies with it. One that its
   * kubelet has started while the gang is to stay frozen is no restart that anybody counts on.
   */
  void lookForStore(RankProcess process) {
    for (RankProcess leader : processes.all()) {
      if (process.rank > 0
          && leader.rank == 0
          && !leader.orphaned
          && !leader.early
          && leader.machine.powered
          && leader.state != State.STARTING
          && !leader.generation.equals(process.generation)
          && !(process.early && generations.stands(leader.generation))) {
        process.foundOldStore = leader;
        boolean survivor =
            world
                .pods()
                .find(process.podKey)
                .filter(pod -> generations.survivor(pod, process.generation))
                .filter(pod -> !(process.early && generations.keepsFrozen(pod)))
                .isPresent();
        world.witness().findsOldStore(job, process.podKey, survivor);
      }
    }
  }

  /**
   * The processes that can train together: one of every rank, that have found the store of one rank
   * 0.
   *
   * @return by rank; empty while one is missing
   */
  List<RankProcess> complete(int ranks) {
    RankProcess leader = waiting(0, null);
    if (leader == null) {
      return List.of();
    }
    RankProcess[] members = new RankProcess[ranks];
    members[0] = leader;
    for (int rank = 1; rank < ranks; rank++) {
      RankProcess next = waiting(rank, leader.generation);
      if (next == null) {
        return List.of();
      }
      members[rank] = next;
    }
    return List.of(members);
  }

  private @Nullable RankProcess waiting(int rank, @Nullable String generation) {
    return processes.first(
        p ->
            p.rank == rank
                && p.state == State.WAITING
                && !p.orphaned
                && p.able()
                && p.foundOldStore == null
                && (generation == null || p.generation.equals(generation)));
  }

  /** Those that waited at the store of a leader that has ended: they wait no longer. */
  List<RankProcess> released(RankProcess leader) {
    List<RankProcess> waited =
        processes.all().stream().filter(p -> leader.equals(p.foundOldStore)).toList();
    waited.forEach(p -> p.foundOldStore = null);
    return waited;
  }
}
