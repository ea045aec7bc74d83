package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonFormat;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What opened the recovery. Only {@code approved} is meant to be written by a person.
 *
 * @param job name of the PyTorchJob, in the namespace of this object
 * @param jobUid its UID: a job deleted and created again under the name is another job
 * @param detectedAt when the verdict was reached; counts against the budget from here
 * @param approved set to true by a person to let a recovery of an {@code approve} job go on
 */
public record RecoverySpec(
    String job,
    String jobUid,
    @Nullable @JsonFormat(shape = JsonFormat.Shape.STRING) Instant detectedAt,
    @Nullable Boolean approved) {}
