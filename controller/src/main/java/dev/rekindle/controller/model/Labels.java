package dev.rekindle.controller.model;

/** Labels that Rekindle reads, and the one that it writes. */
public final class Labels {
  /** Label of a node that had repeated incidents; ours. */
  public static final String LEMON = "rekindle.dev/lemon";

  /** Kueue's label that names the queue of a job. */
  public static final String KUEUE_QUEUE = "kueue.x-k8s.io/queue-name";

  /** Kueue's label that names the UID of a Workload's job. */
  public static final String KUEUE_JOB_UID = "kueue.x-k8s.io/job-uid";

  /** The scheduler plugin Coscheduling's label that names the PodGroup of a pod. */
  public static final String POD_GROUP = "scheduling.x-k8s.io/pod-group";

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

  /** Label with the purpose of a Rekindle pod. */
  public static final String COMPONENT = "app.kubernetes.io/component";

  /** Value of {@link #COMPONENT} on warm spares. */
  public static final String SPARE = "spare";

  /** Node label that node affinity excludes by. */
  public static final String HOSTNAME = "kubernetes.io/hostname";

  private Labels() {}
}
