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
 * What opened the recovery. Only {@code approved} is meant to be written by a person.
 *
 * @param job name of the PyTorchJob, in the namespace of this object
 * @param jobUid its UID: a job deleted and created again under the name is another job
 * @param detectedAt when the verdict was reached; downtime counts from here
 * @param approved set to true by a person to let a recovery of an {@code approve} job go on
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
@ValidationRule(
    value =
        "self.job == oldSelf.job && self.jobUid == oldSelf.jobUid && (!has(oldSelf.detectedAt) ||"
            + " (has(self.detectedAt) && self.detectedAt == oldSelf.detectedAt))",
    message = "a recovery is of one job and one detection; only approved may change")
public record RecoverySpec(
    @Required @Size(min = 1, max = Bounds.NAME) String job,
    @Required @Size(min = 1, max = Bounds.WORD) String jobUid,
    @Nullable @JsonFormat(shape = JsonFormat.Shape.STRING) Instant detectedAt,
    @Nullable Boolean approved) {
  public RecoverySpec {
    job = Bounds.name(job);
    jobUid = Bounds.word(jobUid);
  }
}
