package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.ValidationRule;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What opened the recovery. Only {@code approved} is meant to be written by a person.
 *
 * @param jobRef the job that is recovered
 * @param detectedAt when the verdict was reached; downtime counts from here
 * @param approved set to true by a person to approve a recovery in mode {@code approve}
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
@ValidationRule(
    value =
        "self.jobRef == oldSelf.jobRef && (!has(oldSelf.detectedAt) ||"
            + " (has(self.detectedAt) && self.detectedAt == oldSelf.detectedAt))",
    message = "a recovery is of one job and one detection; only approved may change")
public record RecoverySpec(
    @Required JobRef jobRef,
    @Nullable @JsonFormat(shape = JsonFormat.Shape.STRING) Instant detectedAt,
    @Nullable Boolean approved) {
  public RecoverySpec {
    jobRef = jobRef == null ? JobRef.pyTorchJob("", "") : jobRef;
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
