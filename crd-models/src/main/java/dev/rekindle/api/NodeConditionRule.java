package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a condition of a Node means. Rules are read in order, the first that fits holds. Rules of
 * the policy for a type take the place of all built-in ones for it.
 *
 * @param type type of the condition; {@code *} at the end matches anything
 * @param badStatus the status that means a failure: {@code True} (default, as node-problem-detector
 *     has it) or {@code False} (as in {@code AcceleratedHardwareReady})
 * @param verdict {@code ignore}, {@code watch} (a NodeFault is written, nothing is done), {@code
 *     fence} (the NodeFault fences)
 * @param delaySeconds how long the condition must last before it counts; default 10
 * @param reasons the rule applies to these reasons only; {@code *} at the end matches anything.
 *     Each reason is a fault of its own
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record NodeConditionRule(
    @Required @Size(min = 1, max = Bounds.WORD) String type,
    @Nullable @Pattern("^(True|False)$") String badStatus,
    @Required @Pattern("^(ignore|watch|fence)$") String verdict,
    @Nullable @Min(0) @Max(Bounds.DAY) Integer delaySeconds,
    @Nullable @Size(max = 32) List<@Size(min = 1, max = Bounds.WORD) String> reasons) {
  public NodeConditionRule {
    type = Bounds.word(type);
    verdict = Bounds.word(verdict);
  }

  /** The status that means a failure, {@code True} if none is set. */
  public String failingStatus() {
    return Objects.requireNonNullElse(badStatus, "True");
  }
}
