package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Size;
import org.jspecify.annotations.Nullable;

/**
 * Which nodes are fenced, and how many at one time. Of {@code scope}, {@code maxNodesPerNamespace},
 * {@code rebootSettleSeconds} and {@code lemons} those of the policy {@code default} hold for all
 * jobs that no other policy lists the namespace of.
 *
 * @param scope which nodes are fenced for a fault: {@code jobNodes}, those with pods of a job that
 *     opted in; {@code gpuNodes}, every node with GPUs
 * @param maxNodes how many nodes may be fenced at the same time, cluster-wide (the breaker)
 * @param maxPercent how many percent of the GPU nodes, in total and in each pool, may be fenced at
 *     the same time, in addition to {@code maxNodes}; less than one node counts as one; absent for
 *     no such limit
 * @param poolLabel node label that has the name of a node's pool, for {@code maxPercent}; if
 *     absent, all nodes are one pool
 * @param maxNodesPerNamespace how many nodes may be fenced within 24 hours if programs of one
 *     namespace are the only evidence against them; faults that no program can cause are not
 *     counted
 * @param rebootSettleSeconds how long a node must be Ready after a reboot without its fault before
 *     it is released
 * @param lemons what happens to a node with three incidents within 28 days: {@code tell} labels it,
 *     and new gangs prefer other nodes; {@code fence} keeps it fenced as well
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record FencingPolicy(
    @Nullable @Default(FencingPolicy.JOB_NODES) @Pattern("^(jobNodes|gpuNodes)$") String scope,
    @Nullable @Default("" + FencingPolicy.MAX_NODES) @Min(0) @Max(100000) Integer maxNodes,
    @Nullable @Min(1) @Max(100) Integer maxPercent,
    @Nullable @Size(min = 1, max = 317) String poolLabel,
    @Nullable @Default("" + FencingPolicy.MAX_NODES_PER_NAMESPACE) @Min(0) @Max(100000)
        Integer maxNodesPerNamespace,
    @Nullable @Default("" + FencingPolicy.REBOOT_SETTLE) @Min(0) @Max(Bounds.DAY)
        Integer rebootSettleSeconds,
    @Nullable @Default(FencingPolicy.TELL) @Pattern("^(tell|fence)$") String lemons) {
  /** The default of {@code scope}. */
  public static final String JOB_NODES = "jobNodes";

  /** The other value of {@code scope}. */
  public static final String GPU_NODES = "gpuNodes";

  /** The default of {@code maxNodes}. */
  public static final int MAX_NODES = 3;

  /** The default of {@code maxNodesPerNamespace}. */
  public static final int MAX_NODES_PER_NAMESPACE = 2;

  /** The default of {@code rebootSettleSeconds}. */
  public static final int REBOOT_SETTLE = 300;

  /** The default of {@code lemons}. */
  public static final String TELL = "tell";

  /** The other value of {@code lemons}. */
  public static final String FENCE = "fence";

  /** One that sets nothing. */
  public static final FencingPolicy NONE =
      new FencingPolicy(null, null, null, null, null, null, null);
}
