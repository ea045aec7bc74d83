package dev.rekindle.simulator.chaos;

/** What must never happen, in the order of the architecture. */
public enum Invariant {
  ONE_GENERATION(1, "processes of two generations of one job never run at the same time"),
  NEVER_LEFT_SUSPENDED(
      2, "a job is never left suspended by us without an open Recovery that says why"),
  ONLY_OPTED_IN(3, "a job that its user suspended, or that did not opt in, is never touched"),
  BREAKER(4, "no more nodes are fenced than the breaker allows"),
  HARDWARE_WITNESS(5, "a node is never fenced without evidence of a hardware fault"),
  ONLY_OUR_FENCES(6, "we lift only our own fences"),
  BUDGET(7, "a restart budget is never exceeded"),
  VALID_CHECKPOINT(
      8, "a job never resumes from a torn checkpoint, or from one that is not the newest"),
  NO_REPLAY(9, "an ended recovery is never replayed, and an old event starts nothing"),
  ENDS(10, "every recovery ends, and every opted-in job trains again or says why not"),
  BARRIER(
      11,
      "no process of the old generation computes, writes or serves once a restart in place relies"
          + " on that"),
  NEVER_LEFT_FROZEN(12, "no process stays frozen when no open Recovery says why"),
  PROVEN_GONE(13, "a fence is lifted only with proof that the fault is gone"),
  MODES(
      14,
      "observe fences no node and stops no job; approve does so only once a person has approved"),
  LEMONS(15, "where lemons stay fenced, only a person lifts the fence of one"),
  SCORECARD(16, "what a scorecard has counted is neither lost nor counted twice"),
  SUSPENDED_FIRST(17, "no pod is deleted unless its job is suspended or frozen by us"),
  OWN_ONLY(18, "a recovery touches its own job and no other one"),
  FEW_CALLS(19, "calls for one job within a minute are bounded"),
  SMALL_OBJECTS(20, "objects of one job, and their bytes, are bounded"),
  TRUE_HOLDS(21, "a held recovery really waits for what it says"),
  MUST_FENCE(22, "a node with a hardware fault is fenced, if modes and the breaker allow it"),
  TRUE_RECOVERY(
      23,
      "Recovered means that the new generation stepped past its checkpoint, and that all ranks are"
          + " there"),
  TRUE_VERDICTS(24, "what a scorecard says about a job is true for that job"),
  WITHIN_BACKOFF(25, "a restart in place never uses up the backoffLimit of its job"),
  TRUE_CANCELS(26, "a recovery that ends because there is no signal is not opened again at once"),
  TRUE_FAULTS(27, "a kernel has logged what a NodeFault quotes from the kernel log"),
  TRUE_CULPRITS(28, "a rank that is named for a stall with more than low confidence stood still"),
  CRASH_LOOP(29, "a poisoned checkpoint is tried twice at most, then an older one or none"),
  NEAREST(30, "no plan ignores a nearer node that is free and suitable"),
  PLACEABLE(31, "a gang that trains is not stopped while it has no other place"),
  KUEUE_DECIDES(
      32,
      "a job that Kueue admits is neither suspended nor un-suspended by us, and no queue is held"
          + " for longer than two minutes"),
  OWN_NODE_ONLY(33, "reports of an agent on pods count only for the pods of its own node"),
  LIES_STAY_HOME(
      34,
      "false reports of an agent about pods of its own node stop no job without a pod there, and"
          + " no Recovered relies on them against the reports of other ranks"),
  TRUE_NETWORK(
      35,
      "a job that requires RDMA never counts as recovered on TCP, and the reported network of a"
          + " recovered gang is true"),
  TRUE_TIMEOUTS(36, "a recovery that says that it has waited in vain has waited for the full time"),
  PLANNED_ROOM(37, "a node has room for the pods that a plan puts on it"),
  SHOWN_FAULTS(38, "a fault that a condition shows is not cleared before that is False"),
  MAINTENANCE(
      39,
      "while the policy is paused no job is stopped and no node fenced; outside the maintenance"
          + " windows no gang that trains is stopped"),
  NEEDED_STOPS(40, "a gang that has trained for a minute without a fault is not stopped"),
  FENCE_QUOTA(41, "no more nodes are fenced for the programs of a namespace than its quota allows"),
  FROZEN_WHILE_HELD(42, "no gang stays frozen while its recovery is held"),
  SAID_REFUSALS(43, "an Event reports a write on nodes that is refused permanently"),
  TRUE_CAUSES(44, "the cause of a recovery is true"),
  TRUE_HISTORY(
      45,
      "the phases of a recovery follow each other in their order, its timeline only grows, and no"
          + " two recoveries of a job act at once"),
  PROMPT(
      46,
      "in the calm no recovery stays in a phase for longer than its time-outs, no job stands still"
          + " without a recovery or an Event, and no fence outlives its fault for long"),
  GRACE(47, "a pod is removed by force only where its node is silent or gone"),
  TRUE_EXCLUSIONS(48, "a gang is kept off faulty nodes, and off no others"),
  KEPT_RECORDS(49, "no record that a decision still needs is deleted"),
  SPARES(
      50,
      "a job has no more warm spares than it requests and its policy allows, none that outlives its"
          + " use or its node, and none that keeps a pod of its gang waiting"),
  TRUE_FIGURES(51, "the steps, times and losses in a recovery are true"),
  TRUE_LIMITS(52, "if something is given up or refused because of a limit, the limit was reached"),
  RESUMED_AS_PLANNED(53, "a recovery verifies what it has planned and started"),
  LEFTOVERS(
      54,
      "an ended recovery has noted its findings on the nodes, and has left nothing else on its"
          + " job"),
  LOCAL_CHECKPOINT(
      55,
      "a checkpoint of which each node keeps a copy is pinned only if it is complete, and of one"
          + " save, on every node that it is pinned for"),
  TRUE_RESUMES(56, "the report of a recovery on the resume is true"),
  SAID_REASONS(57, "an Event on the job reports what prevents its recovery"),
  NEVER_RESTARTED(58, "no recovery begins for the end of a launcher that forbids a restart"),
  ASKED_AGAIN(59, "refused calls are retried, at a limited rate"),
  OTHERS_STOPS(
      60,
      "a Workload that a person has deactivated is not activated by us, and a queue that an"
          + " administrator has stopped is not opened by us"),
  WHOLE_GANG(61, "in the calm no recovered gang runs in part for longer than its start takes"),
  ADDRESSES(
      62, "a node has a device and an address of each rail for the pods that a plan puts on it"),
  LEAKS(
      63,
      "no pod is removed by force while a pool without a spare address holds one of the pod,"
          + " unless the controller has waited for that"),
  GONE_JOBS(64, "nothing that blocks others remains of a deleted job"),
  INSPECTED_AGAIN(
      65,
      "a recovery that is held because no checkpoint could be judged has or requests an inspector"),
  SAID_TRANSITIONS(
      66,
      "each Event that the status of a recovery names is written, whichever process ends before"),
  TRUE_LOOPS(67, "an attempt that is ended for a crash loop before its first step is in one"),
  ONCE_IN_PLACE(68, "a recovery restarts its gang in place at most once, in its first attempt"),
  OTHERS_NODES(
      69, "a node on which another component works is not fenced by us, and no gang is put there"),
  ONE_LEADER(70, "a process of the controller sends nothing while another one holds the lease"),
  LADDER(
      71,
      "a job that fails from its checkpoint is tried on other nodes, then one checkpoint back, and"
          + " no further"),
  OWN_DISK(
      72, "if only rank 0 saves, to a disk of its node, a gang returns there or stays stopped"),
  KEPT_ROLL_BACKS(
      73, "a recovery that has sent its job back to an earlier checkpoint says so until it ends"),
  MARKED_LEMONS(74, "in the calm a node that had repeated incidents is marked as a lemon"),
  LEADER_CHANGE(75, "a new leader finds nothing to do where the former one has come to rest"),
  OWN_GPUS(76, "no gang is stopped for a fault of a GPU that it shows not to hold"),
  MUST_LEAVE(
      77, "in the calm a gang does not train on with broken hardware, unless an object says why"),
  TRUE_SIGNS(
      78,
      "a fault that was reported for what is said of a device is cleared once that is over, and not"
          + " before"),
  SAID_SIGNS(79, "in the calm what is said against a device is reported as a fault of its node"),
  VOLUME_AWAY(
      80,
      "a job whose checkpoints are on a volume that no usable node reaches stays stopped, unless"
          + " its owner lets its script begin"),
  SEEN_PARTS(
      81,
      "a recovery does not say that parts of ranks are missing where the nodes of the gang have"
          + " them"),
  WAITING_GROUPS(
      82, "in the calm a restarted gang that its scheduler has put aside is tried again");

  private final int number;
  private final String text;

  Invariant(int number, String text) {
    this.number = number;
    this.text = text;
  }

  /** Its number in the architecture, from 1. */
  public int number() {
    return number;
  }

  /** What must hold. */
  public String text() {
    return text;
  }
}
