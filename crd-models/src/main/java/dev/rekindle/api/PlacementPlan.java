package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.List;

/**
 * Where the pods that lose their node should go, planned before any of them is deleted. The
 * scheduler has the last word.
 *
 * @param levels labels that say where nodes hang in the network, nearest first; empty where no
 *     label does and all nodes count as equally near
 * @param replacements the pods, at most 64, in the order of ranks
 * @param mostHops levels to climb from the old node to the new one, of the pod that goes farthest;
 *     0 within a leaf group
 * @param sumHops the same over all of them
 * @param leafGroups leaf groups that the gang spans then
 * @param refused why nodes that are as near as the chosen ones were passed over, at most 8 of them,
 *     nearest first
 * @param refusedNodes nodes in all that were refused
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record PlacementPlan(
    @Size(max = PlacementPlan.MOST_LEVELS) List<@Size(max = Bounds.LABEL) String> levels,
    @Size(max = PlacementPlan.MOST_REPLACEMENTS) List<Replacement> replacements,
    @Min(0) @Max(PlacementPlan.MOST_LEVELS) int mostHops,
    @Min(0) @Max(Integer.MAX_VALUE) int sumHops,
    @Min(0) @Max(Integer.MAX_VALUE) int leafGroups,
    @Size(max = PlacementPlan.MOST_REFUSED) List<Refusal> refused,
    @Min(0) @Max(Integer.MAX_VALUE) int refusedNodes) {
  /** As many as a policy may name. */
  public static final int MOST_LEVELS = 8;

  /** A gang that loses more of its nodes at once is better rebuilt. */
  public static final int MOST_REPLACEMENTS = 64;

  /** So many are listed; the rest is counted. */
  public static final int MOST_REFUSED = 8;

  public PlacementPlan {
    levels = Bounds.list(levels, MOST_LEVELS);
    replacements = Bounds.list(replacements, MOST_REPLACEMENTS);
    refused = Bounds.list(refused, MOST_REFUSED);
    mostHops = Math.clamp(mostHops, 0, MOST_LEVELS);
    sumHops = Math.max(0, sumHops);
    leafGroups = Math.max(0, leafGroups);
    refusedNodes = Math.max(0, refusedNodes);
  }

  /** The same with these pods, whose hops are counted. */
  public PlacementPlan withReplacements(List<Replacement> all) {
    int most = all.stream().mapToInt(Replacement::hops).max().orElse(0);
    int sum = all.stream().mapToInt(Replacement::hops).sum();
    return new PlacementPlan(levels, all, most, sum, leafGroups, refused, refusedNodes);
  }

  /** The nodes that the pods should go to, each once. */
  public List<String> nodes() {
    return replacements.stream().map(Replacement::to).distinct().sorted().toList();
  }

  /**
   * One pod.
   *
   * @param pod its name
   * @param from the node that it loses
   * @param to the node that it should go to
   * @param hops levels to climb between them
   */
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Replacement(
      @Required @Size(max = Bounds.NAME) String pod,
      @Size(max = Bounds.NAME) String from,
      @Required @Size(max = Bounds.NAME) String to,
      @Min(0) @Max(PlacementPlan.MOST_LEVELS) int hops) {
    public Replacement {
      pod = Bounds.name(pod);
      from = Bounds.name(from);
      to = Bounds.name(to);
      hops = Math.clamp(hops, 0, MOST_LEVELS);
    }
  }

  /**
   * A node that was passed over.
   *
   * @param node its name
   * @param reason why, in one sentence: {@code cordoned}, {@code short of rdma/hca_3}
   */
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Refusal(
      @Required @Size(max = Bounds.NAME) String node,
      @Required @Size(max = Bounds.SENTENCE) String reason) {
    public Refusal {
      node = Bounds.name(node);
      reason = Bounds.text(reason, Bounds.SENTENCE);
    }
  }
}
