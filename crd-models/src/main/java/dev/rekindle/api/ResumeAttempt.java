package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One attempt that did not resume as it was to.
 *
 * @param attempt its number within the recovery; 0 for the start of the gang before it
 * @param step step of the checkpoint that was pinned; absent where none was
 * @param first first step that it was seen to make; absent where it made none
 * @param reached newest step that it was seen at; absent where it made none
 * @param result what came of it
 * @param detail one sentence
 * @param node where it showed first; empty where no node has to do with it
 * @param withoutRdma nodes whose ranks were not on RDMA, of a job that requires it; at most 16
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ResumeAttempt(
    @Min(0) @Max(Integer.MAX_VALUE) int attempt,
    @Nullable @Min(0) Long step,
    @Nullable @Min(0) Long first,
    @Nullable @Min(0) Long reached,
    @Required ResumeResult result,
    @Size(max = Bounds.SENTENCE) String detail,
    @Size(max = Bounds.NAME) String node,
    @Size(max = ResumeAttempt.MOST_NODES) List<@Size(max = Bounds.NAME) String> withoutRdma) {
  /** Number of the start that led to the recovery. */
  public static final int BEFORE = 0;

  /** Nodes that are named at most: more are no fault of single nodes. */
  public static final int MOST_NODES = 16;

  /** One that was not ended for its network. */
  public ResumeAttempt(
      int attempt,
      @Nullable Long step,
      @Nullable Long first,
      @Nullable Long reached,
      ResumeResult result,
      String detail,
      String node) {
    this(attempt, step, first, reached, result, detail, node, List.of());
  }

  public ResumeAttempt {
    result = result == null ? ResumeResult.UNKNOWN : result;
    detail = Bounds.text(detail, Bounds.SENTENCE);
    node = Bounds.name(node);
    withoutRdma = Bounds.list(withoutRdma, MOST_NODES).stream().map(Bounds::name).toList();
  }
}
