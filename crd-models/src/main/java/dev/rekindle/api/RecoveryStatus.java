package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import dev.rekindle.api.RankReportStatus.Loss;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
import io.fabric8.kubernetes.api.model.Condition;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All that a recovery has done and decided; a new leader continues from this alone.
 *
 * @param phase where it stands
 * @param phaseSince when the phase was entered
 * @param attempt number of the current restart, from 1
 * @param heldFrom the phase to return to when a Held recovery continues, else absent
 * @param cause what happened
 * @param plan how the job will be restarted, filled while planning
 * @param outcome what came of it, filled as it becomes known
 * @param timeline every phase entered, in order; at most 64 entries
 * @param conditions {@code Progressing}, {@code Complete}, and where they apply {@code Resumed},
 *     {@code RdmaRestored} and {@code Approved}
 * @param comeBacks how often the kubelets alone brought the gang back, in a recovery in which
 *     nothing was done; absent in all others
 * @param resumes attempts that did not resume as they were to, in order; at most 16
 * @param recentEvents the newest Events that belong to this status, in order; at most 8
 * @param restartsAtStart how often kubelets had started a container of the running attempt again
 *     when all of its pods were seen to run; absent while they have not
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
@RecordBuilder
public record RecoveryStatus(
    @Nullable RecoveryPhase phase,
    @Nullable @JsonFormat(shape = JsonFormat.Shape.STRING) Instant phaseSince,
    @Min(0) @Max(Integer.MAX_VALUE) int attempt,
    @Nullable RecoveryPhase heldFrom,
    @Nullable Cause cause,
    @Nullable Plan plan,
    @Nullable Outcome outcome,
    @Size(max = Bounds.TIMELINE) List<TimelineEntry> timeline,
    @Size(max = Bounds.CONDITIONS) List<Condition> conditions,
    @Nullable ComeBacks comeBacks,
    @Size(max = Bounds.CONDITIONS) List<ResumeAttempt> resumes,
    @Size(max = RecoveryEvent.MOST) List<RecoveryEvent> recentEvents,
    @Nullable @Min(0) @Max(Integer.MAX_VALUE) Integer restartsAtStart)
    implements RecoveryStatusBuilder.With {
  /** One without lists of attempts and Events. */
  public RecoveryStatus(
      @Nullable RecoveryPhase phase,
      @Nullable Instant phaseSince,
      int attempt,
      @Nullable RecoveryPhase heldFrom,
      @Nullable Cause cause,
      @Nullable Plan plan,
      @Nullable Outcome outcome,
      List<TimelineEntry> timeline,
      List<Condition> conditions,
      @Nullable ComeBacks comeBacks) {
    this(
        phase,
        phaseSince,
        attempt,
        heldFrom,
        cause,
        plan,
        outcome,
        timeline,
        conditions,
        comeBacks,
        List.of(),
        List.of(),
        null);
  }

  /** One of a recovery that does something. */
  public RecoveryStatus(
      @Nullable RecoveryPhase phase,
      @Nullable Instant phaseSince,
      int attempt,
      @Nullable RecoveryPhase heldFrom,
      @Nullable Cause cause,
      @Nullable Plan plan,
      @Nullable Outcome outcome,
      List<TimelineEntry> timeline,
      List<Condition> conditions) {
    this(phase, phaseSince, attempt, heldFrom, cause, plan, outcome, timeline, conditions, null);
  }

  public RecoveryStatus {
    resumes = Bounds.newest(resumes, Bounds.CONDITIONS);
    recentEvents = Bounds.newest(recentEvents, RecoveryEvent.MOST);
    timeline = Bounds.timeline(timeline);
    conditions = Bounds.conditions(conditions);
  }

  /**
   * One piece of what shows that a job needs a recovery.
   *
   * @param node the node that it is about; empty where it is about none
   * @param pod the pod that it is about; empty where it is about none
   * @param text what was seen, at most 1 KiB: a line of a kernel log, how a container ended
   */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Evidence(
      @Size(max = Bounds.NAME) String node,
      @Size(max = Bounds.NAME) String pod,
      @Size(max = Bounds.LINE) String text) {
    public Evidence {
      node = Bounds.name(node);
      pod = Bounds.name(pod);
      text = Bounds.line(text);
    }

    /** What was seen on a node. */
    public static Evidence onNode(String node, String text) {
      return new Evidence(node, "", text);
    }
  }

  /**
   * Why the job needs a recovery.
   *
   * @param reason a word of a closed vocabulary, {@code XID-79}, {@code PodFailed}, {@code
   *     Stalled}, {@code NodeSilent}
   * @param message one sentence for people
   * @param evidence what shows it, at most 8 pieces
   * @param faultyNodes nodes with a hardware witness: to be fenced
   * @param silentNodes nodes that no longer answer: excluded, not fenced
   * @param suspectPods pods that showed the failure
   * @param lastStep newest step any rank had reached, absent when no progress was ever seen
   * @param beforeStep the script asked to continue from before this step: a roll-back on purpose;
   *     absent when it did not
   * @param stall which ranks a gang that stands waits for, as far as evidence was collected; absent
   *     where it was not
   * @param loss what the newest lines said of the loss; absent where none named one
   * @param lastStepTime when a step was last made, by the clock of its node; absent where none was
   *     seen
   * @param before the gang as it was when the failure was detected; absent where there was none
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  @RecordBuilder
  public record Cause(
      @Size(max = Bounds.WORD) String reason,
      @Size(max = Bounds.LINE) String message,
      @Size(max = Bounds.LINES) List<Evidence> evidence,
      @Size(max = Bounds.NAMES) List<@Size(max = Bounds.NAME) String> faultyNodes,
      @Size(max = Bounds.NAMES) List<@Size(max = Bounds.NAME) String> silentNodes,
      @Size(max = Bounds.NAMES) List<@Size(max = Bounds.NAME) String> suspectPods,
      @Nullable @Min(0) Long lastStep,
      @Nullable @Min(0) Long beforeStep,
      @Nullable StallFinding stall,
      @Nullable Loss loss,
      @Nullable @JsonFormat(shape = JsonFormat.Shape.STRING) Instant lastStepTime,
      @Nullable FormerRun before)
      implements RecoveryStatusCauseBuilder.With {
    /** The reason where all pods run and steps stand. */
    public static final String STALLED = "Stalled";

    /** The reason where the job is suspended by a recovery that is gone or over. */
    public static final String ORPHANED = "Orphaned";

    /** The first process to end asked to be run again, to find out who is to blame (exit 16). */
    public static final String RERUN = "RerunAsked";

    /** The first process to end computed a result twice, and it differed (exit 17). */
    public static final String RESULT_REJECTED = "ResultRejected";

    /** The gang has resumed into a loss that is NaN or infinite. */
    public static final String LOSS_NOT_FINITE = "LossNotFinite";

    /** One before which no line named a loss. */
    public Cause(
        String reason,
        String message,
        List<Evidence> evidence,
        List<String> faultyNodes,
        List<String> silentNodes,
        List<String> suspectPods,
        @Nullable Long lastStep,
        @Nullable Long beforeStep,
        @Nullable StallFinding stall) {
      this(
          reason,
          message,
          evidence,
          faultyNodes,
          silentNodes,
          suspectPods,
          lastStep,
          beforeStep,
          stall,
          null,
          null,
          null);
    }

    /** A cause that requests no roll-back. */
    public Cause(
        String reason,
        String message,
        List<Evidence> evidence,
        List<String> faultyNodes,
        List<String> silentNodes,
        List<String> suspectPods,
        @Nullable Long lastStep) {
      this(reason, message, evidence, faultyNodes, silentNodes, suspectPods, lastStep, null, null);
    }

    public Cause {
      reason = Bounds.word(reason);
      message = Bounds.line(message);
      evidence = Bounds.list(evidence, Bounds.LINES);
      faultyNodes = Bounds.names(faultyNodes);
      silentNodes = Bounds.names(silentNodes);
      suspectPods = Bounds.names(suspectPods);
    }
  }

  /**
   * How the job will be restarted.
   *
   * @param restart {@code InPlace}: survivors keep their pods, agents freeze and restart their
   *     containers; {@code Rebuild}: suspended, drained to zero, created again; absent until chosen
   * @param restartReason why this way
   * @param excludedNodes nodes the new pods may not use
   * @param keptNodes nodes of the old generation that stay eligible
   * @param preferredTopology topology label to values of the kept nodes, a preference
   * @param checkpoint the pinned checkpoint
   * @param gangSize pods of the gang when it was planned; another size is planned again
   * @param avoidedNodes nodes that the new pods go to only where there is no other room: those that
   *     a stall has named, or that the job failed on first
   * @param saves how the job saves, by the checkpoints that were found; absent where none were
   * @param placement where pods that lose their node should go; absent where none does, or no plan
   *     was made
   * @param tracker what came of making the framework's tracker name the checkpoint; absent where
   *     that was not wanted, or is not done yet
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  @RecordBuilder
  public record Plan(
      @Nullable RestartWay restart,
      @Size(max = Bounds.LINE) String restartReason,
      @Size(max = Bounds.NAMES) List<@Size(max = Bounds.NAME) String> excludedNodes,
      @Size(max = Bounds.NAMES) List<@Size(max = Bounds.NAME) String> keptNodes,
      Map<String, List<String>> preferredTopology,
      @Nullable PinnedCheckpoint checkpoint,
      @Nullable @Min(0) Integer gangSize,
      @Size(max = Bounds.NAMES) List<@Size(max = Bounds.NAME) String> avoidedNodes,
      @Nullable Saves saves,
      @Nullable PlacementPlan placement,
      @Nullable TrackerChange tracker)
      implements RecoveryStatusPlanBuilder.With {
    /** One of a job whose checkpoints were not scanned. */
    public Plan(
        @Nullable RestartWay restart,
        String restartReason,
        List<String> excludedNodes,
        List<String> keptNodes,
        Map<String, List<String>> preferredTopology,
        @Nullable PinnedCheckpoint checkpoint,
        @Nullable Integer gangSize,
        List<String> avoidedNodes) {
      this(
          restart,
          restartReason,
          excludedNodes,
          keptNodes,
          preferredTopology,
          checkpoint,
          gangSize,
          avoidedNodes,
          null,
          null,
          null);
    }

    /** One of a gang whose size is not known, and that avoids no node. */
    public Plan(
        @Nullable RestartWay restart,
        String restartReason,
        List<String> excludedNodes,
        List<String> keptNodes,
        Map<String, List<String>> preferredTopology,
        @Nullable PinnedCheckpoint checkpoint) {
      this(
          restart,
          restartReason,
          excludedNodes,
          keptNodes,
          preferredTopology,
          checkpoint,
          null,
          List.of(),
          null,
          null,
          null);
    }

    public Plan {
      restartReason = Bounds.line(restartReason);
      excludedNodes = Bounds.names(excludedNodes);
      keptNodes = Bounds.names(keptNodes);
      avoidedNodes = Bounds.names(avoidedNodes);
      preferredTopology = Bounds.namesByKey(preferredTopology);
    }
  }

  /**
   * What came of it.
   *
   * @param resumedStep the step of the checkpoint
   * @param firstStepAfter first step seen after the restart
   * @param lostSteps steps trained twice
   * @param lostGpuSeconds GPUs of the gang times downtime, 0 when the job requests none
   * @param downtimeSeconds from detection to the first new step
   * @param secondsPerPhase time spent in each phase
   * @param resume what the first steps show of the checkpoint; absent while they are not seen
   * @param lost all that the failure has cost; absent where nothing was done
   * @param advice how often the job saves, how often it should, and what the difference costs
   * @param saving the same in figures; absent where there is not enough data
   * @param time where the time of the job went, from its beginning to the end of this recovery;
   *     absent where nothing was done
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Outcome(
      @Nullable @Min(0) Long resumedStep,
      @Nullable @Min(0) Long firstStepAfter,
      @Nullable @Min(0) Long lostSteps,
      @Nullable @Min(0) Double lostGpuSeconds,
      @Nullable @Min(0) Double downtimeSeconds,
      Map<String, Double> secondsPerPhase,
      @Nullable ResumeResult resume,
      @Nullable LostGpuSeconds lost,
      @Size(max = Bounds.SENTENCE) String advice,
      @Nullable SaveEconomics saving,
      @Nullable TrainingTime time) {
    /** One of which it is not said what was resumed from. */
    public Outcome(
        @Nullable Long resumedStep,
        @Nullable Long firstStepAfter,
        @Nullable Long lostSteps,
        @Nullable Double lostGpuSeconds,
        @Nullable Double downtimeSeconds,
        Map<String, Double> secondsPerPhase) {
      this(
          resumedStep,
          firstStepAfter,
          lostSteps,
          lostGpuSeconds,
          downtimeSeconds,
          secondsPerPhase,
          null,
          null,
          "",
          null,
          null);
    }

    public Outcome {
      advice = Bounds.text(advice, Bounds.SENTENCE);
      secondsPerPhase = Bounds.map(secondsPerPhase);
    }
  }
}
