package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which gang, and what is to be done with it now. Each instruction includes those before it.
 *
 * @param jobRef the job of the gang; agents act on pods controlled by exactly this job
 * @param recovery name of the Recovery on whose word this is done
 * @param instruction what is to be done; it only ever moves on, see {@link RestartInstruction}
 * @param leaderUid UID of the old pod that serves the rendezvous; empty when that pod was replaced
 * @param until when agents thaw what they have frozen and not yet killed, should they hear nothing
 *     more: a gang must not stay frozen for ever because no controller is left to restart it. By
 *     the clock of the controller; agents go by it only where {@code holdSeconds} is absent
 * @param youngest when the youngest pod of the gang was made, by the API server's clock, in whole
 *     seconds. A pod that came after it, and before this order, is of a later gang: the order is
 *     that of a controller which stood still meanwhile, and is none for that pod. Absent for none.
 * @param collectEvidence whether agents first collect what shows which rank the gang waits for, see
 *     {@link RankEvidence}; they freeze within {@link RankEvidence#LIMIT} whatever comes of it.
 *     Absent for no
 * @param holdSeconds for how long, after an agent has first heard of the order, what it has frozen
 *     may stand still, by a clock of the agent that never steps: clocks of machines may differ by
 *     hours. Absent where {@code until} alone counts
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
@ValidationRule(
    value = "self.jobRef == oldSelf.jobRef && self.recovery == oldSelf.recovery",
    message = "an order is for one gang and one recovery")
public record RestartOrderSpec(
    @Required JobRef jobRef,
    @Required @Size(min = 1, max = Bounds.NAME) String recovery,
    @Required RestartInstruction instruction,
    @Size(max = Bounds.WORD) String leaderUid,
    @Nullable @JsonFormat(shape = JsonFormat.Shape.STRING) Instant until,
    @Nullable @JsonFormat(shape = JsonFormat.Shape.STRING) Instant youngest,
    @Nullable Boolean collectEvidence,
    @Nullable @Min(1) @Max(RestartOrderSpec.LONGEST_HOLD) Integer holdSeconds) {
  /** The longest time for which a gang may be held, in seconds: a day. */
  public static final int LONGEST_HOLD = 86_400;

  public RestartOrderSpec {
    jobRef = jobRef == null ? JobRef.pyTorchJob("", "") : jobRef;
    recovery = Bounds.name(recovery);
    instruction = instruction == null ? RestartInstruction.FREEZE : instruction;
    leaderUid = Bounds.word(leaderUid);
    holdSeconds = holdSeconds == null ? null : Math.clamp(holdSeconds.longValue(), 1, LONGEST_HOLD);
  }

  /** An order for the pods of the job, whenever they were made. */
  public RestartOrderSpec(
      JobRef jobRef,
      String recovery,
      RestartInstruction instruction,
      String leaderUid,
      @Nullable Instant until) {
    this(jobRef, recovery, instruction, leaderUid, until, null, null, null);
  }

  /** Name of the job. */
  public String job() {
    return jobRef.name();
  }

  /** UID of the job. */
  public String jobUid() {
    return jobRef.uid();
  }
}
