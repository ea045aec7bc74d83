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
 * Which ranks a gang that stood waited for, from what was found before it was frozen.
 *
 * @param stallClass {@code host}, {@code device-or-link}, {@code program}, {@code network}, {@code
 *     unknown}
 * @param confidence {@code high}, {@code medium}, {@code low}
 * @param culprits ranks that held up the others, at most 8; empty where none is known. With
 *     confidence {@code low} they are a guess, and no rank is named
 * @param evidence what shows it, at most 8 lines
 * @param ranks of how many ranks anything was found
 * @param moves true where the dumps of all ranks show that the job trains; else absent
 * @param compiling a rank that compiles, which the others wait for; absent where none does
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record StallFinding(
    @Size(max = Bounds.WORD) String stallClass,
    @Size(max = Bounds.WORD) String confidence,
    @Size(max = Bounds.LINES) List<NamedRank> culprits,
    @Size(max = Bounds.LINES) List<@Size(max = Bounds.LINE) String> evidence,
    @Min(0) @Max(RankEvidence.MOST_WORLD) int ranks,
    @Nullable Boolean moves,
    @Nullable @Min(0) @Max(RankEvidence.MOST_WORLD) Integer compiling) {
  private static final String GUESS = "low";

  public StallFinding {
    stallClass = Bounds.word(stallClass);
    confidence = Bounds.word(confidence);
    culprits = Bounds.list(culprits, Bounds.LINES);
    evidence = Bounds.list(evidence, Bounds.LINES).stream().map(Bounds::line).toList();
  }

  /** A finding on a job that is not known to train. */
  public StallFinding(
      String stallClass,
      String confidence,
      List<NamedRank> culprits,
      List<String> evidence,
      int ranks) {
    this(stallClass, confidence, culprits, evidence, ranks, null, null);
  }

  /** Whether it was no stall: all ranks show that they train, or one of them compiles. */
  public boolean refuted() {
    return Boolean.TRUE.equals(moves) || compiling != null;
  }

  /** Whether a rank is named: found, and more than guessed. */
  public boolean named() {
    return !culprits.isEmpty() && !confidence.equals(GUESS);
  }

  /**
   * A rank that held up the others.
   *
   * @param rank its global rank
   * @param pod its pod; empty where that is not known
   * @param node the node of that pod; empty where that is not known
   * @param reason why it is named
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record NamedRank(
      @Required @Min(0) @Max(RankEvidence.MOST_WORLD) int rank,
      @Size(max = Bounds.NAME) String pod,
      @Size(max = Bounds.NAME) String node,
      @Size(max = Bounds.LINE) String reason) {
    public NamedRank {
      pod = Bounds.name(pod);
      node = Bounds.name(node);
      reason = Bounds.line(reason);
    }
  }
}
