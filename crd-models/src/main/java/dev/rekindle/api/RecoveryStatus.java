package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonFormat;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The whole story of the recovery; a new leader continues from this alone.
 *
 * @param phase where it stands
 * @param phaseSince when the phase was entered
 * @param attempt number of the restart being tried, from 1
 * @param heldFrom the phase to return to when a Held recovery goes on, else absent
 * @param cause what happened
 * @param plan what the restart will look like, filled while planning
 * @param outcome what came of it, filled as it becomes known
 * @param timeline every phase entered, in order; at most 64 entries
 * @param conditions standard conditions; {@code Complete} and {@code Progressing}
 */
public record RecoveryStatus(
    @Nullable RecoveryPhase phase,
    @Nullable @JsonFormat(shape = JsonFormat.Shape.STRING) Instant phaseSince,
    int attempt,
    @Nullable RecoveryPhase heldFrom,
    @Nullable Cause cause,
    @Nullable Plan plan,
    @Nullable Outcome outcome,
    List<TimelineEntry> timeline,
    List<Condition> conditions) {

  /**
   * Why the job needs a recovery.
   *
   * @param reason a word of a closed vocabulary, {@code XID-79}, {@code PodFailed}, {@code
   *     Stalled}, {@code NodeSilent}
   * @param message one sentence for people
   * @param evidence lines that show it, at most 8, each at most 1 KiB
   * @param faultyNodes nodes with a hardware witness: to be fenced
   * @param silentNodes nodes that no longer answer: excluded, not fenced
   * @param suspectPods pods that showed the failure
   * @param lastStep newest step any rank had reached, absent when no progress was ever seen
   */
  public record Cause(
      String reason,
      String message,
      List<String> evidence,
      List<String> faultyNodes,
      List<String> silentNodes,
      List<String> suspectPods,
      @Nullable Long lastStep) {}

  /**
   * What the restart will look like.
   *
   * @param restart {@code Rebuild}, and why
   * @param excludedNodes nodes the new pods may not use
   * @param keptNodes nodes of the old generation that stay eligible
   * @param preferredTopology topology label to values of the kept nodes, a preference
   * @param checkpoint the pinned checkpoint
   */
  public record Plan(
      String restart,
      List<String> excludedNodes,
      List<String> keptNodes,
      Map<String, List<String>> preferredTopology,
      @Nullable PinnedCheckpoint checkpoint) {}

  /**
   * The checkpoint the job resumes from.
   *
   * @param verdict {@code Valid}; {@code Unknown} when nothing could be judged: the script decides
   *     by itself; {@code None} when the directory holds no usable one: training starts over
   * @param path as seen in the job's containers; empty unless Valid
   * @param step its step; absent unless Valid
   * @param level how far it was checked, {@code L3} for a complete zip structure
   * @param message why it was chosen and which newer ones were passed over
   */
  public record PinnedCheckpoint(
      String verdict, String path, @Nullable Long step, String level, String message) {}

  /**
   * What came of it.
   *
   * @param resumedStep the step of the checkpoint
   * @param firstStepAfter first step seen after the restart
   * @param lostSteps steps trained twice
   * @param lostGpuSeconds GPUs of the gang times downtime, 0 when the job asks for none
   * @param downtimeSeconds from detection to the first new step
   * @param secondsPerPhase time spent in each phase
   */
  public record Outcome(
      @Nullable Long resumedStep,
      @Nullable Long firstStepAfter,
      @Nullable Long lostSteps,
      @Nullable Double lostGpuSeconds,
      @Nullable Double downtimeSeconds,
      Map<String, Double> secondsPerPhase) {}

  /**
   * One entry of the timeline.
   *
   * @param phase the phase entered, or in which something worth telling happened
   * @param time when
   * @param detail one sentence
   */
  public record TimelineEntry(
      RecoveryPhase phase,
      @JsonFormat(shape = JsonFormat.Shape.STRING) Instant time,
      String detail) {}
}
