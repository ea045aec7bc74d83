package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The checkpoint the job resumes from.
 *
 * @param verdict {@code Valid}; {@code Unknown} when nothing could be judged: the script decides by
 *     itself; {@code None} when the directory holds no usable one: training starts over
 * @param path as seen in the job's containers; empty unless Valid
 * @param step its step; absent unless Valid
 * @param level how far it was checked, {@code L3} for a complete zip structure
 * @param message why it was chosen and which newer ones were passed over
 * @param rollBack what was given up on purpose for it; absent when it is the newest valid one
 * @param format name of its format, such as {@code dcp}; empty unless Valid
 * @param nodes nodes on whose disks it is, where each node has files of its own: the new pods
 *     should go there; empty where all nodes reach it alike
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
@ValidationRule(
    value = "self.verdict != 'Valid' || (has(self.step) && has(self.path) && self.path != '')",
    message = "a valid checkpoint has a path and a step")
public record PinnedCheckpoint(
    @Required CheckpointVerdict verdict,
    @Size(max = Bounds.PATH) String path,
    @Nullable @Min(0) Long step,
    @Size(max = Bounds.WORD) String level,
    @Size(max = Bounds.LINE) String message,
    @Nullable RollBack rollBack,
    @Size(max = Bounds.WORD) String format,
    @Size(max = Bounds.NAMES) List<@Size(max = Bounds.NAME) String> nodes) {
  /** One that all nodes reach alike. */
  public PinnedCheckpoint(
      CheckpointVerdict verdict,
      String path,
      @Nullable Long step,
      String level,
      String message,
      @Nullable RollBack rollBack,
      String format) {
    this(verdict, path, step, level, message, rollBack, format, List.of());
  }

  /** One whose format is not known. */
  public PinnedCheckpoint(
      CheckpointVerdict verdict,
      String path,
      @Nullable Long step,
      String level,
      String message,
      @Nullable RollBack rollBack) {
    this(verdict, path, step, level, message, rollBack, "", List.of());
  }

  /** One for which nothing was given up. */
  public PinnedCheckpoint(
      CheckpointVerdict verdict, String path, @Nullable Long step, String level, String message) {
    this(verdict, path, step, level, message, null, "", List.of());
  }

  public PinnedCheckpoint {
    verdict = verdict == null ? CheckpointVerdict.UNKNOWN : verdict;
    path = Bounds.text(path, Bounds.PATH);
    level = Bounds.word(level);
    message = Bounds.line(message);
    format = Bounds.word(format);
    nodes = Bounds.names(nodes);
  }
}
