package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.cause;

import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.placement.AddressRoom;
import dev.rekindle.controller.placement.CapacityCheck;
import dev.rekindle.controller.placement.Exclusions;
import dev.rekindle.controller.placement.MasterSeat;
import dev.rekindle.controller.placement.NetworkDemand;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Whether there is room for the whole gang if all of its pods are created again. */
final class GangRoom {
  private GangRoom() {}

  /**
   * Nodes that no new gang is to go to, in order: those to avoid, those that are faulty and not
   * fenced, and others' to work on.
   */
  static List<String> closedNodes(RecoverySnapshot s) {
    return Stream.of(
            Exclusions.of(cause(s), s.nodes(), s.faults()),
            Exclusions.faultyAndOpen(s.nodes(), s.faults()),
            Exclusions.underOthersHands(s.nodes().values()))
        .flatMap(List::stream)
        .distinct()
        .sorted()
        .toList();
  }

  /** What is missing on the other nodes, in words for people; empty when it may fit. */
  static Optional<String> missing(RecoverySnapshot s, JobView job, Collection<String> excluded) {
    return CapacityCheck.missing(
        job.replicas(),
        s.nodes().values(),
        excluded,
        s.taken(),
        s.held(),
        NetworkDemand.of(job, s.pods(), s.pods(), s.networks()));
  }

  /** The same as if all nodes reached the volumes of the job. */
  static Optional<String> missingBesideVolumes(
      RecoverySnapshot s, JobView job, Collection<String> excluded) {
    return missing(s, job.withVolumes(List.of()), excluded);
  }

  /**
   * The node that is left to the master, where few reach its volumes.
   *
   * @param avoided nodes that are better left alone
   * @param kept nodes that are wanted first
   */
  static Optional<String> masterSeat(
      RecoverySnapshot s,
      JobView job,
      Collection<String> excluded,
      Collection<String> avoided,
      Collection<String> kept) {
    return MasterSeat.of(
        job.replicas(), s.nodes().values(), excluded, avoided, kept, s.taken(), s.held());
  }

  /**
   * Nodes where pods that crowd there would find too few addresses, should all be created again.
   */
  static List<String> crowded(
      RecoverySnapshot s, JobView job, Collection<String> excluded, Collection<String> kept) {
    return AddressRoom.crowded(
        job.replicas(),
        s.nodes().values(),
        excluded,
        kept,
        s.taken(),
        s.held(),
        NetworkDemand.of(job, s.pods(), s.pods(), s.networks()));
  }
}
