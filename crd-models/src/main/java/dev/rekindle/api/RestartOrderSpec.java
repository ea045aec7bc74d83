package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which gang, and what is to be done with it now. Each instruction includes those before it.
 *
 * @param job name of the PyTorchJob, in the namespace of this object
 * @param jobUid its UID; agents act on pods controlled by exactly this job
 * @param recovery name of the Recovery on whose word this is done
 * @param instruction what is to be done; it only ever moves on, see {@link RestartInstruction}
 * @param leaderUid UID of the old pod that serves the rendezvous; empty when that pod was replaced
 * @param until when agents thaw what they have frozen and not yet killed, should they hear nothing
 *     more: a gang must not stay frozen for ever because nobody is left to restart it
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
@ValidationRule(
    value =
        "self.job == oldSelf.job && self.jobUid == oldSelf.jobUid"
            + " && self.recovery == oldSelf.recovery",
    message = "an order is for one gang and one recovery")
public record RestartOrderSpec(
    @Required @Size(min = 1, max = Bounds.NAME) String job,
    @Required @Size(min = 1, max = Bounds.WORD) String jobUid,
    @Required @Size(min = 1, max = Bounds.NAME) String recovery,
    @Required RestartInstruction instruction,
    @Size(max = Bounds.WORD) String leaderUid,
    @Nullable @JsonFormat(shape = JsonFormat.Shape.STRING) Instant until) {
  public RestartOrderSpec {
    job = Bounds.name(job);
    jobUid = Bounds.word(jobUid);
    recovery = Bounds.name(recovery);
    instruction = instruction == null ? RestartInstruction.FREEZE : instruction;
    leaderUid = Bounds.word(leaderUid);
  }
}
