package dev.rekindle.controller.model;

import dev.rekindle.detect.pod.OptInMode;

/**
 * Annotations by which Rekindle, the owners of jobs and others pass on what they want and what was
 * done. {@code docs/annotations.md} explains those of Rekindle.
 */
public final class Annotations {
  /** The owner's opt-in on a job: {@code true}, {@code observe}, {@code approve}. */
  public static final String RECOVER = OptInMode.ANNOTATION;

  /** Name of the RecoveryPolicy, on a job. */
  public static final String POLICY = "rekindle.dev/policy";

  /**
   * Where the checkpoints are, on a job: a directory as container {@code pytorch} sees it, or
   * {@code s3://bucket/prefix}.
   */
  public static final String CHECKPOINT = "rekindle.dev/checkpoint";

  /** Whether a path of the host is the same storage on every node; on the job. */
  public static final String CHECKPOINT_SHARED = "rekindle.dev/checkpoint-shared";

  /** Format of the checkpoints, {@code auto} or the name of one, on a job. */
  public static final String CHECKPOINT_FORMAT = "rekindle.dev/checkpoint-format";

  /** URL of the object store that has the checkpoints; empty for AWS itself; on a job. */
  public static final String CHECKPOINT_ENDPOINT = "rekindle.dev/checkpoint-endpoint";

  /** Region of their bucket, on a job. */
  public static final String CHECKPOINT_REGION = "rekindle.dev/checkpoint-region";

  /** Secret in the job's namespace with the access keys of the object store, on a job. */
  public static final String CHECKPOINT_SECRET = "rekindle.dev/checkpoint-secret";

  /**
   * What is done where the only copy of the checkpoints cannot be reached, {@code hold} or {@code
   * script}; on a job.
   */
  public static final String CHECKPOINT_UNREACHABLE = "rekindle.dev/checkpoint-unreachable";

  /**
   * Whether the file by which a framework finds its newest checkpoint may be made to name the
   * pinned one, {@code keep} or {@code rewrite}; on a job.
   */
  public static final String CHECKPOINT_TRACKER = "rekindle.dev/checkpoint-tracker";

  /** How the script gets its checkpoint, {@code env} or {@code none}, on a job. */
  public static final String RESUME = "rekindle.dev/resume";

  /**
   * How the gang is to be brought back, {@code auto}, {@code rebuild}, {@code inPlace}; on a job.
   */
  public static final String RESTART = "rekindle.dev/restart";

  /** Whether a gang that came back without RDMA is not recovered, on a job. */
  public static final String REQUIRE_RDMA = "rekindle.dev/require-rdma";

  /** How many warm spares its owner requests, on a job. */
  public static final String SPARES = "rekindle.dev/spares";

  /** Of which template of its job a warm spare was made, on the spare; ours. */
  public static final String SPARE_TEMPLATE = "rekindle.dev/spare-template";

  /** How the agent finds the step in a log line, on a job. */
  public static final String STEP_PATTERN = "rekindle.dev/step-pattern";

  /** How long steps may stand still, on a job. */
  public static final String STALL_TIMEOUT = "rekindle.dev/stall-timeout";

  /**
   * UID of the job that Rekindle set annotations on, on a job, on its templates and so on pods;
   * ours. On any other object, as on a copy of the job, they count for nothing.
   */
  public static final String JOB_UID = "rekindle.dev/job-uid";

  /**
   * The name of {@link #JOB_UID} before 2026-11-28. It is written, too, as an earlier release reads
   * it alone: without it, a rollback would leave jobs suspended.
   */
  public static final String FORMER_JOB_UID = "rekindle.dev/marks-of";

  /** The recovery that suspended a job, or took away what makes its Workload active; ours. */
  public static final String SUSPENDED_BY = "rekindle.dev/suspended-by";

  /** Host names that our affinity keeps the pods off, on a job; ours. */
  public static final String EXCLUDED_NODES = "rekindle.dev/excluded-nodes";

  /** Host names that our preference keeps the pods off, on a job; ours. */
  public static final String AVOIDED_NODES = "rekindle.dev/avoided-nodes";

  /** Topology labels and values that our preference names, on a job; ours. */
  public static final String PREFERRED_TOPOLOGY = "rekindle.dev/preferred-topology";

  /** Host names that our preference takes new pods to, on a job; ours. */
  public static final String PLANNED_NODES = "rekindle.dev/planned-nodes";

  /**
   * The replica type that alone is taken to the planned nodes, all where absent; on a job; ours.
   */
  public static final String PLANNED_FOR = "rekindle.dev/planned-for";

  /** Attempt of a pod template and so of a pod; ours. */
  public static final String ATTEMPT = "rekindle.dev/attempt";

  /** The checkpoint that a pod is given, on a template and so on pods; ours. */
  public static final String RESUME_FROM = "rekindle.dev/resume-from";

  /** Its step; ours. */
  public static final String RESUME_STEP = "rekindle.dev/resume-step";

  /** Name of its format; ours. */
  public static final String RESUME_FORMAT = "rekindle.dev/resume-format";

  /** The attempt for which a pod is given its checkpoint; ours. */
  public static final String RESUME_ATTEMPT = "rekindle.dev/resume-attempt";

  /** Why the gang was restarted, in one word; ours. */
  public static final String RESUME_REASON = "rekindle.dev/resume-reason";

  /** Which namespaces are watched, with commas, on RecoveryPolicy default; the chart's. */
  public static final String WATCHED = "rekindle.dev/watched-namespaces";

  /** The recovery that fenced a node, or {@code fault/NAME} of a NodeFault; ours. */
  public static final String FENCED_BY = "rekindle.dev/fenced-by";

  /** Why a node is fenced; ours. */
  public static final String FENCE_REASON = "rekindle.dev/fence-reason";

  /** Since when a node is fenced; ours. */
  public static final String FENCED_AT = "rekindle.dev/fenced-at";

  /** The NodeFault for which a person approves a fence, on a node. */
  public static final String APPROVE_FENCE = "rekindle.dev/approve-fence";

  /** What a node was fenced or blamed for lately; ours. */
  public static final String INCIDENTS = "rekindle.dev/incidents";

  /** The namespaces for whose programs alone a node was fenced lately, and when; ours. */
  public static final String FENCED_FOR = "rekindle.dev/fenced-for";

  /** The stalls that lately waited for a rank on a node, on the node; ours. */
  public static final String STALLS = "rekindle.dev/stalls";

  /** The recovery for which a ClusterQueue admits nothing, {@code namespace/job/recovery}; ours. */
  public static final String HELD_FOR = "rekindle.dev/held-for";

  /** When a ClusterQueue was last held by us; ours. */
  public static final String HELD_AT = "rekindle.dev/held-at";

  /** Written to a PodGroup so that its scheduler considers it again; ours. */
  public static final String REQUEUE = "rekindle.dev/requeue";

  /** Volcano's annotation that names the PodGroup of a pod. */
  public static final String VOLCANO_GROUP = "scheduling.k8s.io/group-name";

  /** HyperPod's annotation that makes it restart a job. */
  public static final String HYPERPOD_RESUME = "sagemaker.amazonaws.com/enable-job-auto-resume";

  /** The field of a pod that holds its annotation, as the downward API names it. */
  public static String fieldOf(String annotation) {
    return "metadata.annotations['" + annotation + "']";
  }

  private Annotations() {}
}
