package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The gang as it was when the failure was detected: what its time is added up from when it trains
 * again. Its pods and their reports are gone by then.
 *
 * @param created when the oldest of its pods was created
 * @param firstStepTime when it made the first step that was seen; absent where none was
 * @param saves how it saved, by its log; absent where no line was seen
 * @param sawSteps whether steps of it were seen, also of containers that kubelets have started
 *     again since and that have made none yet; absent where none were
 * @param network what carried its data; absent where no line of NCCL named a network
 * @param lossesDiffer whether one rank printed NaN for its loss, and another one a number for the
 *     same steps; absent where none did
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record FormerRun(
    @Nullable @JsonFormat(shape = JsonFormat.Shape.STRING) Instant created,
    @Nullable @JsonFormat(shape = JsonFormat.Shape.STRING) Instant firstStepTime,
    @Nullable LoggedSaves saves,
    @Nullable Boolean sawSteps,
    @Nullable FormerNetwork network,
    @Nullable Boolean lossesDiffer) {
  /** One whose ranks agree on what the loss is. */
  public FormerRun(
      @Nullable Instant created,
      @Nullable Instant firstStepTime,
      @Nullable LoggedSaves saves,
      @Nullable Boolean sawSteps,
      @Nullable FormerNetwork network) {
    this(created, firstStepTime, saves, sawSteps, network, null);
  }

  /** One whose network is not known. */
  public FormerRun(
      @Nullable Instant created,
      @Nullable Instant firstStepTime,
      @Nullable LoggedSaves saves,
      @Nullable Boolean sawSteps) {
    this(created, firstStepTime, saves, sawSteps, null);
  }

  /** One of which no steps were seen but those that the other values show. */
  public FormerRun(
      @Nullable Instant created, @Nullable Instant firstStepTime, @Nullable LoggedSaves saves) {
    this(created, firstStepTime, saves, null);
  }
}
