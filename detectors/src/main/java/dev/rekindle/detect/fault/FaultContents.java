package dev.rekindle.detect.fault;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultStatus;
import dev.rekindle.api.NodeFaultStatus.State;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a NodeFault is to say after a draft or a clearance, given what it says. Pure. */
final class FaultContents {
  private FaultContents() {}

  /**
   * Whether it is of an earlier Node of this name, and of another boot: another machine, maybe.
   *
   * @param own UID of the Node, empty while it is not known
   */
  static boolean isOfAnother(NodeFault stored, FaultAggregate draft, String own) {
    var before = stored.getSpec().nodeUid();
    var status = stored.getStatus();
    var boot = status == null ? stored.getSpec().bootId() : status.bootId();
    return !before.isEmpty()
        && !own.isEmpty()
        && !before.equals(own)
        && !boot.equals(draft.last().fault().bootId());
  }

  /** Whether the object counts this record already: the log is replayed. */
  static boolean isCounted(NodeFaultStatus stored, FaultObservation observation) {
    return observation.sequence() != FaultObservation.NO_SEQUENCE
        && stored.bootId().equals(observation.fault().bootId())
        && observation.sequence() <= stored.lastSequence();
  }

  /**
   * The spec as the draft raises it, as it says after a clearance, or with the device that it
   * names; empty when it stays.
   *
   * @param now on the wall clock
   */
  static Optional<NodeFaultSpec> raised(NodeFault stored, FaultAggregate draft, Instant now) {
    var spec = stored.getSpec();
    var worst = draft.worst().fault();
    var before = stored.getStatus();
    var again = before != null && before.state() == State.CLEARED && !isLate(before, draft, now);
    var stronger = worst.fence().compareTo(spec.fence()) < 0;
    var device = draft.last().fault().deviceUuid();
    // The log names a GPU at its first error of a boot; the one of that address may be another now.
    var named = device.isEmpty() ? spec : spec.ofDevice(device);
    if (!stronger && !(again && worst.fence() != spec.fence())) {
      return named.equals(spec) ? Optional.empty() : Optional.of(named);
    }
    return Optional.of(
        new NodeFaultSpec(
            spec.node(),
            spec.componentType(),
            spec.componentId(),
            spec.code(),
            spec.detector(),
            worst.fence(),
            worst.action(),
            spec.bootId(),
            spec.firstSeen(),
            worst.evidence(),
            spec.nodeUid(),
            named.deviceUuid()));
  }

  /**
   * The status with what the draft adds to it.
   *
   * @param now on the wall clock
   */
  static NodeFaultStatus status(
      @Nullable NodeFaultStatus before, FaultAggregate draft, Instant now) {
    var last = draft.last();
    var boot = last.fault().bootId();
    if (before == null) {
      return new NodeFaultStatus(
          State.ACTIVE,
          draft.count(),
          last.time(),
          boot,
          last.sequence(),
          last.fault().evidence(),
          draft.incidents(),
          "",
          null);
    }
    var late = before.state() == State.CLEARED && isLate(before, draft, now);
    return new NodeFaultStatus(
        late ? State.CLEARED : State.ACTIVE,
        before.count() + draft.count(),
        last.time(),
        boot,
        before.bootId().equals(boot)
            ? Math.max(before.lastSequence(), last.sequence())
            : last.sequence(),
        last.fault().evidence(),
        Incidents.merge(before.incidents(), draft.incidents()),
        late ? before.clearedBy() : "",
        late ? before.clearedAt() : null);
  }

  /**
   * Whether all of it was seen before the fault was cleared, in the same boot. Where that is still
   * to come the clock was set back since, and what is seen until then is new.
   */
  private static boolean isLate(NodeFaultStatus cleared, FaultAggregate draft, Instant now) {
    Instant at = cleared.clearedAt();
    return at != null
        && !at.isAfter(now)
        && draft.last().fault().bootId().equals(cleared.bootId())
        && !draft.last().time().isAfter(at);
  }
}
