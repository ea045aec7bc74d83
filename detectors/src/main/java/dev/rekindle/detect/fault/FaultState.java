package dev.rekindle.detect.fault;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultStatus;
import dev.rekindle.api.NodeFaultStatus.Incident;
import dev.rekindle.api.NodeFaultStatus.State;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a NodeFault says, and what it is to say after an observation or a clearance. Immutable; the
 * writer compares the two states and makes only the calls that they request.
 *
 * @param spec which fault it is, and what follows from it
 * @param status how often it was seen; absent right after its creation
 */
public record FaultState(NodeFaultSpec spec, @Nullable NodeFaultStatus status) {
  /** The state of an object that has a spec. */
  public static FaultState of(NodeFault stored) {
    return new FaultState(stored.getSpec(), stored.getStatus());
  }

  /** After an observation by an agent, which counts every record of its kernel log once. */
  public FaultState observed(FaultObservation observation) {
    return new FaultState(
        spec, FaultContents.status(status, FaultAggregate.of(observation), Instant.MAX));
  }

  /**
   * After an observation by the controller, which reads conditions of nodes: the same observation
   * again changes nothing, nor does one of another detector. What an earlier Node of the name had
   * is no history of this one.
   */
  public FaultState found(FaultObservation observation) {
    NodeFaultSpec now = observation.fault();
    if (isOfAnotherNode(now)) {
      return new FaultState(now, again(null, observation));
    }
    if (!spec.detector().equals(now.detector())) {
      return this;
    }
    NodeFaultSpec next = spec.fence() == now.fence() ? spec : with(now);
    NodeFaultStatus before = status;
    boolean known =
        before != null
            && before.state() == State.ACTIVE
            && !isLater(observation, before.lastSeen());
    return new FaultState(next, known ? before : again(before, observation));
  }

  private boolean isOfAnotherNode(NodeFaultSpec now) {
    return !spec.nodeUid().isEmpty()
        && !now.nodeUid().isEmpty()
        && !spec.nodeUid().equals(now.nodeUid());
  }

  private static boolean isLater(FaultObservation observation, @Nullable Instant last) {
    return last != null && observation.time().isAfter(last);
  }

  /** What it is stays; what follows from it is the newest. */
  private NodeFaultSpec with(NodeFaultSpec now) {
    return new NodeFaultSpec(
        spec.node(),
        spec.componentType(),
        spec.componentId(),
        spec.code(),
        spec.detector(),
        now.fence(),
        now.action(),
        spec.bootId(),
        spec.firstSeen(),
        now.evidence(),
        spec.nodeUid().isEmpty() ? now.nodeUid() : spec.nodeUid(),
        now.deviceUuid().isEmpty() ? spec.deviceUuid() : now.deviceUuid());
  }

  private static NodeFaultStatus again(
      @Nullable NodeFaultStatus before, FaultObservation observation) {
    List<Incident> incidents = Incidents.of(observation);
    return new NodeFaultStatus(
        State.ACTIVE,
        (before == null ? 0 : before.count()) + 1,
        observation.time(),
        observation.fault().bootId(),
        observation.sequence(),
        observation.fault().evidence(),
        before == null ? incidents : Incidents.merge(before.incidents(), incidents),
        "",
        null);
  }

  /**
   * After proof that it is gone; the same for one that is cleared already.
   *
   * @param by what proves it, one word
   * @param at when it was proven
   */
  public FaultState cleared(String by, Instant at) {
    NodeFaultStatus before = status;
    if (before != null && before.state() == State.CLEARED) {
      return this;
    }
    return new FaultState(
        spec,
        new NodeFaultStatus(
            State.CLEARED,
            before == null ? 1 : before.count(),
            before == null ? spec.firstSeen() : before.lastSeen(),
            before == null ? spec.bootId() : before.bootId(),
            before == null ? FaultObservation.NO_SEQUENCE : before.lastSequence(),
            before == null ? spec.evidence() : before.lastEvidence(),
            before == null ? List.of() : before.incidents(),
            by,
            at));
  }
}
