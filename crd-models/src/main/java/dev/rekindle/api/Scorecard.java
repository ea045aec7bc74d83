package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What would have been done in mode {@code observe}, and what came of it without: for a person who
 * thinks about mode {@code auto}.
 *
 * @param since when the first entry was made
 * @param fences nodes that would have been fenced
 * @param restarts jobs that would have been restarted
 * @param recent the newest entries, newest last, at most 32
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Scorecard(
    @Nullable @JsonFormat(shape = JsonFormat.Shape.STRING) Instant since,
    Tally fences,
    Tally restarts,
    @Size(max = Bounds.ENTRIES) List<Entry> recent) {
  /** Nothing yet. */
  public static final Scorecard NONE = new Scorecard(null, Tally.NONE, Tally.NONE, List.of());

  public Scorecard {
    fences = fences == null ? Tally.NONE : fences;
    restarts = restarts == null ? Tally.NONE : restarts;
    recent = Bounds.newest(recent, Bounds.ENTRIES);
  }

  /**
   * How often something would have been done, and how often that was right.
   *
   * @param would how often in all
   * @param right what followed shows that it was called for
   * @param wrong what followed shows that it was not
   * @param unknown what followed shows neither, or the entry left the list before
   */
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Tally(
      @Min(0) long would, @Min(0) long right, @Min(0) long wrong, @Min(0) long unknown) {
    /** Nothing yet. */
    public static final Tally NONE = new Tally(0, 0, 0, 0);
  }

  /**
   * One thing that would have been done.
   *
   * @param what {@code Fence} or {@code Restart}
   * @param subject the node, or the job as {@code namespace/name}
   * @param uid UID of the job, the NodeFault of the node
   * @param reason why
   * @param time when
   * @param verdict {@code Open} until it is known, then {@code Right}, {@code Wrong} or {@code
   *     Unknown}
   * @param then what happened next
   * @param judged when that was known; absent while open
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Entry(
      @Required ShadowAction what,
      @Size(max = 2 * Bounds.NAME) String subject,
      @Size(max = Bounds.NAME) String uid,
      @Size(max = Bounds.SENTENCE) String reason,
      @Required @JsonFormat(shape = JsonFormat.Shape.STRING) Instant time,
      @Required ShadowVerdict verdict,
      @Size(max = Bounds.SENTENCE) String then,
      @Nullable @JsonFormat(shape = JsonFormat.Shape.STRING) Instant judged) {
    public Entry {
      what = what == null ? ShadowAction.RESTART : what;
      subject = Bounds.text(subject, 2 * Bounds.NAME);
      uid = Bounds.name(uid);
      reason = Bounds.text(reason, Bounds.SENTENCE);
      time = Bounds.time(time);
      verdict = verdict == null ? ShadowVerdict.UNKNOWN : verdict;
      then = Bounds.text(then, Bounds.SENTENCE);
    }

    /** Whether it is not judged yet. */
    public boolean open() {
      return verdict == ShadowVerdict.OPEN;
    }
  }
}
