package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How often and when last. An object without a status counts as {@link State#ACTIVE} and seen once.
 *
 * @param state Active, or Cleared once something proved the fault gone
 * @param count records that reported this fault, over all boots
 * @param lastSeen time of the newest record
 * @param bootId boot in which it was last seen
 * @param lastSequence kernel-log sequence number of the newest record counted, within {@code
 *     bootId}; makes counting idempotent when the log is replayed
 * @param lastEvidence the newest line, at most 1 KiB
 * @param incidents the newest incidents, newest last, at most 12; an incident is a burst of records
 *     that hit one program, without a silence of more than three minutes. Where there are more, the
 *     oldest of the program that was hit most often goes
 * @param clearedBy what proved the fault gone, one word: {@code driver} (its own all-clear, XID 154
 *     to None), {@code reboot}, {@code probe} (the device reads healthy again), {@code condition};
 *     empty while the fault stands
 * @param clearedAt when that was
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record NodeFaultStatus(
    State state,
    @Min(0) long count,
    @Nullable @JsonFormat(shape = JsonFormat.Shape.STRING) Instant lastSeen,
    @Size(max = Bounds.WORD) String bootId,
    long lastSequence,
    @Size(max = Bounds.LINE) String lastEvidence,
    @Size(max = Bounds.INCIDENTS) List<Incident> incidents,
    @Size(max = Bounds.WORD) String clearedBy,
    @Nullable @JsonFormat(shape = JsonFormat.Shape.STRING) Instant clearedAt) {
  public NodeFaultStatus {
    state = state == null ? State.ACTIVE : state;
    bootId = Bounds.word(bootId);
    lastEvidence = Bounds.line(lastEvidence);
    incidents = Bounds.newest(incidents, Bounds.INCIDENTS);
    clearedBy = Bounds.word(clearedBy);
  }

  /**
   * One burst of records of this fault.
   *
   * @param firstSeen time of its first record
   * @param lastSeen time of its newest record
   * @param lines records in it
   * @param unit the part of the component that its first record named, such as {@code GPC 1 TPC 2};
   *     may be empty
   * @param namespace namespace of the pod that was hit; empty when it is not known
   * @param pod the pod that was hit; empty when it is not known
   * @param jobUid UID of that pod's job; empty when it is not known
   * @param bootId boot of the node it was in
   * @param owner name of what that job belongs to in the end, of the job itself where it belongs to
   *     nothing: a job that is made again has the same; empty when it is not known
   * @param process name of the process that was hit; empty when it is not known
   * @param mark the word within the code that decided what it means, {@code fatal}; may be empty
   * @param units all parts of the component that its records named, where they named several, at
   *     most 20
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Incident(
      @Nullable @JsonFormat(shape = JsonFormat.Shape.STRING) Instant firstSeen,
      @Nullable @JsonFormat(shape = JsonFormat.Shape.STRING) Instant lastSeen,
      @Min(0) long lines,
      @Size(max = Bounds.WORD) String unit,
      @Size(max = Bounds.NAME) String namespace,
      @Size(max = Bounds.NAME) String pod,
      @Size(max = Bounds.WORD) String jobUid,
      @Size(max = Bounds.WORD) String bootId,
      @Size(max = Bounds.NAME) String owner,
      @Size(max = Bounds.WORD) String process,
      @Size(max = Bounds.WORD) String mark,
      @Size(max = Bounds.UNITS) List<@Size(max = Bounds.UNIT) String> units) {
    public Incident {
      unit = Bounds.word(unit);
      namespace = Bounds.name(namespace);
      pod = Bounds.name(pod);
      jobUid = Bounds.word(jobUid);
      bootId = Bounds.word(bootId);
      owner = Bounds.name(owner);
      process = Bounds.word(process);
      mark = Bounds.word(mark);
      units =
          Bounds.list(units, Bounds.UNITS).stream()
              .map(one -> Bounds.text(one, Bounds.UNIT))
              .toList();
    }

    /** An incident of which nothing more is known. */
    public Incident(
        @Nullable Instant firstSeen,
        @Nullable Instant lastSeen,
        long lines,
        String unit,
        String namespace,
        String pod,
        String jobUid,
        String bootId) {
      this(firstSeen, lastSeen, lines, unit, namespace, pod, jobUid, bootId, "", "", "", List.of());
    }
  }

  /** Whether the fault stands. */
  public enum State {
    @JsonProperty("Active")
    ACTIVE,
    @JsonProperty("Cleared")
    CLEARED
  }
}
