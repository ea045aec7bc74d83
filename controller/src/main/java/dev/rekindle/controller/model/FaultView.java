package dev.rekindle.controller.model;

import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultStatus;
import dev.rekindle.detect.weigh.Fault;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the controller keeps of a NodeFault.
 *
 * @param name object name
 * @param node the faulty node
 * @param component {@code GPU 0000:3b:00}, for people
 * @param code {@code XID-79}
 * @param fence whether the fault alone fences
 * @param active whether it stands
 * @param count how often it was seen
 * @param lastSeen when last
 * @param evidence newest line
 * @param detector who found it, {@code kmsg}
 * @param action what repairs it, in the words of the XID catalogue
 * @param bootId boot of the node in which it was last seen, empty when unknown
 * @param clearedBy what proved it gone, {@code driver}, {@code reboot}; empty while it stands
 * @param incidents its bursts, newest last; a few of them
 * @param weight what it comes to beside everything else that is known; absent when it was not
 *     weighed it: then it counts by itself
 * @param nodeUid UID of the Node object that it was on, empty when unknown
 * @param deviceUuid UUID of the GPU, {@code GPU-...}, empty when unknown
 */
@RecordBuilder
public record FaultView(
    String name,
    String node,
    String component,
    String code,
    NodeFaultSpec.FenceGuidance fence,
    boolean active,
    long count,
    @Nullable Instant lastSeen,
    String evidence,
    String detector,
    String action,
    String bootId,
    String clearedBy,
    List<Incident> incidents,
    @Nullable Assessment weight,
    String nodeUid,
    String deviceUuid)
    implements FaultViewBuilder.With, Fault {
  /**
   * One burst of the fault; a silence of three minutes ends it.
   *
   * @param firstSeen its first record
   * @param lastSeen its newest record
   * @param lines records in it
   * @param unit the part of the component, {@code GPC 1 TPC 2}; empty when not reported
   * @param namespace namespace of the pod that was hit, empty when unknown
   * @param pod the pod that was hit, empty when unknown
   * @param jobUid UID of the job of that pod, empty when unknown
   * @param bootId boot in which it was seen, empty when unknown
   * @param owner name of what that job belongs to in the end, empty when unknown
   * @param process name of the process that was hit, empty when unknown
   * @param mark the word within the code that decided what it means; may be empty
   * @param units all parts that it named, where there were several
   */
  public record Incident(
      Instant firstSeen,
      Instant lastSeen,
      long lines,
      String unit,
      String namespace,
      String pod,
      String jobUid,
      String bootId,
      String owner,
      String process,
      String mark,
      List<String> units)
      implements dev.rekindle.detect.weigh.Incident {
    public Incident {
      units = List.copyOf(units);
    }

    /**
     * The incident of a NodeFault.
     *
     * @param lastSeen time of its newest record; taken for the first too where that has no time
     */
    public static Incident of(NodeFaultStatus.Incident stored, Instant lastSeen) {
      return new Incident(
          Objects.requireNonNullElse(stored.firstSeen(), lastSeen),
          lastSeen,
          stored.lines(),
          stored.unit(),
          stored.namespace(),
          stored.pod(),
          stored.jobUid(),
          stored.bootId(),
          stored.owner(),
          stored.process(),
          stored.mark(),
          stored.units());
    }

    /** The same, where the victim is unknown. */
    public Incident withoutVictim() {
      return new Incident(
          firstSeen, lastSeen, lines, unit, "", "", "", bootId, "", process, mark, units);
    }

    /** An incident of which nothing more is known. */
    public Incident(
        Instant firstSeen,
        Instant lastSeen,
        long lines,
        String unit,
        String namespace,
        String pod,
        String jobUid,
        String bootId) {
      this(firstSeen, lastSeen, lines, unit, namespace, pod, jobUid, bootId, "", "", "", List.of());
    }
  }

  /** How sure it is that the hardware is broken. */
  public enum Confidence {
    LOW,
    MEDIUM,
    HIGH
  }

  /**
   * What a fault comes to.
   *
   * @param fences whether it is reason enough to fence its node
   * @param confidence how sure that is
   * @param witnesses which detectors report it, independent of each other; at most a few
   * @param reason one sentence for people
   * @param until when to weigh it again though nothing changes; absent for never
   * @param namespaces whose programs are all there is to say so; empty where no program can cause
   *     it
   * @param overQuota whether it fences but for the quota of one of them
   */
  public record Assessment(
      boolean fences,
      Confidence confidence,
      List<String> witnesses,
      String reason,
      @Nullable Instant until,
      Set<String> namespaces,
      boolean overQuota) {
    public Assessment {
      witnesses = List.copyOf(witnesses);
      namespaces = Set.copyOf(namespaces);
    }

    /** What no namespace has to answer for. */
    public Assessment(
        boolean fences,
        Confidence confidence,
        List<String> witnesses,
        String reason,
        @Nullable Instant until) {
      this(fences, confidence, witnesses, reason, until, Set.of(), false);
    }

    /** What no quota withholds. */
    public Assessment(
        boolean fences,
        Confidence confidence,
        List<String> witnesses,
        String reason,
        @Nullable Instant until,
        Set<String> namespaces) {
      this(fences, confidence, witnesses, reason, until, namespaces, false);
    }
  }

  public FaultView {
    incidents = List.copyOf(incidents);
  }

  /**
   * Whether it is a fault of that Node and not of an earlier one of the name: of the same object,
   * or seen in the boot that the node reports. The agent may have seen it in a later boot already,
   * before the kubelet reports that one. What does not say is the present node's.
   */
  public boolean isOf(NodeView present) {
    return nodeUid.isEmpty()
        || present.uid().isEmpty()
        || nodeUid.equals(present.uid())
        || isSeenIn(present.bootId());
  }

  private boolean isSeenIn(String boot) {
    return !boot.isEmpty()
        && (bootId.equals(boot) || incidents.stream().anyMatch(i -> i.bootId().equals(boot)));
  }

  /** Whether this fault is reason enough to fence its node. */
  public boolean fences() {
    return weight == null ? active && fence == NodeFaultSpec.FenceGuidance.ALWAYS : weight.fences();
  }
}
