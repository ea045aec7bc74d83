package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Progress as the pod's log shows it. Times of steps are the container runtime's stamps on the log
 * lines (the clock of the node).
 *
 * @param restartCount which run of the container the steps belong to (0 for the first); a change
 *     starts over
 * @param firstStep first step seen in this run of the container, absent before one was seen
 * @param firstStepTime when it was printed
 * @param lastStep newest step seen
 * @param lastStepTime when the step number last grew
 * @param observedTime when the agent last polled, refreshed also while steps stand still: an old
 *     value means that the agent is silent, not the training
 * @param message why there is no progress to report, such as an unusable step pattern, or that no
 *     line names a step; else empty
 * @param asked the newest restart that this run of the container has requested; absent when it has
 *     requested none
 * @param pace how its steps follow each other; absent from an agent that does not measure it
 * @param witnesses what the ranks of this run of the container would show if they hung, at most
 *     some ten minutes old; absent where nothing was inspected
 * @param loadError the newest line, of this run of the container or an earlier one, that says that
 *     a checkpoint cannot be loaded; absent once a step was made after it
 * @param loss what the lines of this run say of the loss; absent where none names one
 * @param saves how it saves checkpoints, by its lines; absent where none names a save
 * @param transport what carries NCCL's data, by its INFO lines; absent where none names a network
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
@RecordBuilder
public record RankReportStatus(
    @Min(0) @Max(Integer.MAX_VALUE) int restartCount,
    @Nullable @Min(0) Long firstStep,
    @Nullable @JsonFormat(shape = JsonFormat.Shape.STRING) Instant firstStepTime,
    @Nullable @Min(0) Long lastStep,
    @Nullable @JsonFormat(shape = JsonFormat.Shape.STRING) Instant lastStepTime,
    @Nullable @JsonFormat(shape = JsonFormat.Shape.STRING) Instant observedTime,
    @Size(max = Bounds.LINE) String message,
    @Nullable RestartAsked asked,
    @Nullable Pace pace,
    @Nullable Witnesses witnesses,
    @Nullable LoadError loadError,
    @Nullable Loss loss,
    @Nullable LoggedSaves saves,
    @Nullable Transport transport)
    implements RankReportStatusBuilder.With {
  /** The message of a container that has printed for some minutes, and no step. */
  public static final String NO_STEP = "for 10 minutes lines were printed and none names a step";

  /** The message of a container that has run for some minutes, and printed nothing. */
  public static final String NO_LINE = "for 10 minutes nothing was printed";

  /** Beyond any interval: what is longer was not measured. */
  private static final long LONGEST_MILLIS = 1L << 40;

  public RankReportStatus {
    message = Bounds.line(message);
  }

  /**
   * How the steps of a container follow each other: what its next step may take.
   *
   * @param intervals intervals between steps that were measured, by this agent
   * @param ofThisRun how many intervals this run of the container has had
   * @param p99Millis 99 % of the newest 512 intervals are at most this long
   * @param longestMillis the longest interval of the newest 65,000 or so; pauses that a line
   *     announces do not count
   * @param trainedSeconds the sum of all intervals
   * @param stoodSeconds since when the agent has seen no higher step, and no bar of an evaluation
   *     or the like move, by a clock that is never set
   * @param pausing whether a line after the newest step announces a pause, such as an evaluation
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Pace(
      @Min(0) @Max(Integer.MAX_VALUE) int intervals,
      @Min(0) @Max(Integer.MAX_VALUE) int ofThisRun,
      @Min(0) long p99Millis,
      @Min(0) long longestMillis,
      @Min(0) long trainedSeconds,
      @Min(0) long stoodSeconds,
      boolean pausing) {
    public Pace {
      intervals = Math.max(0, intervals);
      ofThisRun = Math.max(0, ofThisRun);
      p99Millis = Math.clamp(p99Millis, 0, LONGEST_MILLIS);
      longestMillis = Math.clamp(longestMillis, 0, LONGEST_MILLIS);
      trainedSeconds = Math.clamp(trainedSeconds, 0, LONGEST_MILLIS);
      stoodSeconds = Math.clamp(stoodSeconds, 0, LONGEST_MILLIS);
    }
  }

  /**
   * The ranks of a container while it trains, by what its processes say of themselves.
   *
   * @param ranks ranks that were found by {@code RANK} in the environment of a process
   * @param pipesRead those whose pipe has a reader: they can be asked for a dump
   * @param pipesUnread those with the path of a pipe in their environment and no reader at it
   * @param gpusRead those of which the driver says how busy their GPU is
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Witnesses(
      @Min(0) @Max(RankEvidence.MOST_RANKS) int ranks,
      @Min(0) @Max(RankEvidence.MOST_RANKS) int pipesRead,
      @Min(0) @Max(RankEvidence.MOST_RANKS) int pipesUnread,
      @Min(0) @Max(RankEvidence.MOST_RANKS) int gpusRead) {
    public Witnesses {
      ranks = Math.clamp(ranks, 0, RankEvidence.MOST_RANKS);
      pipesRead = Math.clamp(pipesRead, 0, ranks);
      pipesUnread = Math.clamp(pipesUnread, 0, ranks - pipesRead);
      gpusRead = Math.clamp(gpusRead, 0, ranks);
    }

    /** Ranks whose GPUs are not read. */
    public Witnesses(int ranks, int pipesRead, int pipesUnread) {
      this(ranks, pipesRead, pipesUnread, 0);
    }
  }

  /**
   * A training script requests a restart of its whole gang, by a line in its log.
   *
   * @param reason why, in the words of the script
   * @param beforeStep resume from a checkpoint of an earlier step than this; absent for the newest
   * @param time when the line was printed, by the container runtime's stamp
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record RestartAsked(
      @Size(max = Bounds.LINE) String reason,
      @Nullable @Min(0) Long beforeStep,
      @Required @JsonFormat(shape = JsonFormat.Shape.STRING) Instant time) {
    public RestartAsked {
      reason = Bounds.line(reason);
      time = Bounds.time(time);
    }
  }

  /**
   * A line that says, before the first step of a run, that a checkpoint cannot be loaded.
   *
   * @param kind what it says
   * @param text the line, cut to 300 characters
   * @param run which run of the container printed it
   * @param time when, by the container runtime's stamp
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record LoadError(
      @Required LoadErrorKind kind,
      @Size(max = Bounds.SENTENCE) String text,
      @Min(0) @Max(Integer.MAX_VALUE) int run,
      @Required @JsonFormat(shape = JsonFormat.Shape.STRING) Instant time) {
    public LoadError {
      kind = kind == null ? LoadErrorKind.REFUSED : kind;
      text = Bounds.text(text, Bounds.SENTENCE);
      run = Math.max(0, run);
      time = Bounds.time(time);
    }
  }

  /**
   * What the lines of a run say of the loss.
   *
   * @param value the newest loss that is a number; absent where none was
   * @param notFinite how many of the newest lines in a row have named NaN or infinity
   * @param before the loss that the run before this one of the same pod has ended with; absent
   *     where that was no number, or is not known
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Loss(
      @Nullable Double value,
      @Min(0) @Max(Integer.MAX_VALUE) int notFinite,
      @Nullable Double before) {
    /** So many lines in a row make sure that it is no single step that an optimizer skips. */
    public static final int SURE = 3;

    /** One of a run before which there was none. */
    public Loss(@Nullable Double value, int notFinite) {
      this(value, notFinite, null);
    }

    public Loss {
      value = value == null || !Double.isFinite(value) ? null : value;
      before = before == null || !Double.isFinite(before) ? null : before;
      notFinite = Math.max(0, notFinite);
    }
  }
}
