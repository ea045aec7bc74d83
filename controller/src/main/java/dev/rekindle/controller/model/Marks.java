package dev.rekindle.controller.model;

import dev.rekindle.detect.pod.Consent;

/**
 * The annotations, labels and environment variables by which Rekindle, the owners of jobs and
 * others talk to each other. {@code docs/reference/annotations.md} explains those of ours.
 */
public final class Marks {
  /** Owner's wish on a job: {@code true}, {@code observe}, {@code approve}. */
  public static final String RECOVER = Consent.ANNOTATION;

  /** Name of the RecoveryPolicy, on a job. */
  public static final String POLICY = "rekindle.dev/policy";

  /** Directory of the checkpoints as container {@code pytorch} sees it, on a job. */
  public static final String CHECKPOINT = "rekindle.dev/checkpoint";

  /** Whether a path of the host is the same storage on every node; on the job. */
  public static final String CHECKPOINT_SHARED = "rekindle.dev/checkpoint-shared";

  /** Format of the checkpoints, {@code torch-save}, on a job. */
  public static final String CHECKPOINT_FORMAT = "rekindle.dev/checkpoint-format";

  /** How the script gets its checkpoint, {@code env} or {@code none}, on a job. */
  public static final String RESUME = "rekindle.dev/resume";

  /**
   * How the gang is to be brought back, {@code auto}, {@code rebuild}, {@code inPlace}; on a job.
   */
  public static final String RESTART = "rekindle.dev/restart";

  /** How the agent finds the step in a log line, on a job. */
  public static final String STEP_PATTERN = "rekindle.dev/step-pattern";

  /** How long steps may stand still, on a job. */
  public static final String STALL_TIMEOUT = "rekindle.dev/stall-timeout";

  /**
   * UID of the job that our marks were made for, on a job, on its templates and so on pods; ours.
   * Marks on anything else count for nothing.
   */
  public static final String MARKS_OF = "rekindle.dev/marks-of";

  /** The recovery that suspended a job; ours. */
  public static final String SUSPENDED_BY = "rekindle.dev/suspended-by";

  /** Host names that our affinity keeps the pods off, on a job; ours. */
  public static final String EXCLUDED_NODES = "rekindle.dev/excluded-nodes";

  /** Topology labels and values that our preference names, on a job; ours. */
  public static final String PREFERRED_TOPOLOGY = "rekindle.dev/preferred-topology";

  /** Attempt of a pod template and so of a pod; ours. */
  public static final String ATTEMPT = "rekindle.dev/attempt";

  /** The checkpoint that a pod is given, on a template and so on pods; ours. */
  public static final String RESUME_FROM = "rekindle.dev/resume-from";

  /** Its step; ours. */
  public static final String RESUME_STEP = "rekindle.dev/resume-step";

  /** The attempt for which a pod is given its checkpoint; ours. */
  public static final String RESUME_ATTEMPT = "rekindle.dev/resume-attempt";

  /** Why the gang was restarted, in one word; ours. */
  public static final String RESUME_REASON = "rekindle.dev/resume-reason";

  /** The variable that gives a script its checkpoint; empty or absent where it is given none. */
  public static final String ENV_RESUME_FROM = "REKINDLE_RESUME_FROM";

  /** The recovery that fenced a node, or {@code fault/NAME} of a NodeFault; ours. */
  public static final String FENCED_BY = "rekindle.dev/fenced-by";

  /** Why a node is fenced; ours. */
  public static final String FENCE_REASON = "rekindle.dev/fence-reason";

  /** Since when a node is fenced; ours. */
  public static final String FENCED_AT = "rekindle.dev/fenced-at";

  /** The NodeFault for which a person approves a fence, on a node. */
  public static final String APPROVE_FENCE = "rekindle.dev/approve-fence";

  /** What a node was fenced or blamed for lately; ours. */
  public static final String TROUBLES = "rekindle.dev/troubles";

  /** The namespaces for whose programs alone a node was fenced lately, and when; ours. */
  public static final String FENCED_FOR = "rekindle.dev/fenced-for";

  /** Label of a node that was in trouble again and again; ours. */
  public static final String LEMON = "rekindle.dev/lemon";

  /** Kueue's label that names the queue of a job. */
  public static final String KUEUE_QUEUE = "kueue.x-k8s.io/queue-name";

  /** HyperPod's annotation that makes it restart a job. */
  public static final String HYPERPOD_RESUME = "sagemaker.amazonaws.com/enable-job-auto-resume";

  /** The training operator's label that names the job of a pod. */
  public static final String JOB_NAME = "training.kubeflow.org/job-name";

  /** The training operator's label that names the controller of a pod. */
  public static final String OPERATOR_NAME = "training.kubeflow.org/operator-name";

  /** Value of {@link #OPERATOR_NAME} on the pods of PyTorchJobs. */
  public static final String PYTORCH_OPERATOR = "pytorchjob-controller";

  /** The training operator's label that names the replica type of a pod, lower case. */
  public static final String REPLICA_TYPE = "training.kubeflow.org/replica-type";

  /** The training operator's label that numbers a pod within its replica type. */
  public static final String REPLICA_INDEX = "training.kubeflow.org/replica-index";

  /** The container that trains. */
  public static final String CONTAINER = "pytorch";

  /** Node label that node affinity excludes by. */
  public static final String HOSTNAME = "kubernetes.io/hostname";

  /** The field of a pod that holds its annotation, as the downward API names it. */
  public static String fieldOf(String annotation) {
    return "metadata.annotations['" + annotation + "']";
  }

  private Marks() {}
}
