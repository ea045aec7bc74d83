package dev.rekindle.simulator.chaos;

/** What must never happen, in the order of the architecture. */
public enum Invariant {
  ONE_GENERATION(1, "processes of two generations of one job never run at the same time"),
  NEVER_LEFT_SUSPENDED(
      2, "a job is never left suspended by us without an open Recovery that says why"),
  ONLY_OPTED_IN(3, "a job that its user suspended, or that did not opt in, is never touched"),
  BREAKER(4, "no more nodes are fenced than the breaker allows"),
  HARDWARE_WITNESS(5, "a node is never fenced without a hardware witness"),
  ONLY_OUR_FENCES(6, "only fences that we placed are ever lifted by us"),
  BUDGET(7, "a restart budget is never exceeded"),
  VALID_CHECKPOINT(
      8, "a job never resumes from a torn checkpoint, or from one that is not the newest"),
  NO_REPLAY(9, "an ended recovery is never replayed, and an old event starts nothing"),
  ENDS(10, "every recovery ends, and every opted-in job trains again or says why not"),
  BARRIER(
      11,
      "nothing of the old generation computes, writes or serves once a restart in place counts on"
          + " it"),
  NEVER_LEFT_FROZEN(12, "no process stays frozen when no open Recovery says why"),
  PROVEN_GONE(13, "a fence is lifted only when something has proven the fault gone"),
  MODES(
      14,
      "observe fences no node and stops no job; approve does so only once a person has approved"),
  LEMONS(15, "where lemons stay fenced, the fence of one is lifted by a person only"),
  SCORECARD(16, "what a scorecard has counted is neither lost nor counted twice"),
  SUSPENDED_FIRST(17, "no pod is deleted unless its job is suspended or frozen by us"),
  OWN_ONLY(18, "a recovery touches its own job and no other one"),
  FEW_CALLS(19, "calls for one job within a minute are bounded"),
  SMALL_OBJECTS(20, "objects of one job, and their bytes, are bounded"),
  TRUE_HOLDS(21, "what a held recovery says that it waits for is so"),
  MUST_FENCE(22, "what must be fenced is fenced, where modes and the breaker let it be"),
  TRUE_RECOVERY(
      23,
      "Recovered means that the new generation stepped past its checkpoint, and that all ranks are"
          + " there"),
  TRUE_VERDICTS(24, "what a scorecard says of a job is true of that job"),
  WITHIN_BACKOFF(25, "a restart in place never uses up the backoffLimit of its job"),
  TRUE_CANCELS(26, "a recovery that ends for want of a signal is not opened again at once"),
  TRUE_FAULTS(27, "what a NodeFault quotes from the kernel log, a kernel has logged"),
  TRUE_CULPRITS(28, "a rank that is named for a stall, and not as a guess, did stand still"),
  CRASH_LOOP(29, "a checkpoint that is poisoned is tried twice at most, then an older one or none"),
  NEAREST(30, "no plan passes over a nearer node that is free and fit"),
  PLACEABLE(31, "a gang that trains is not stopped while it has no other place"),
  KUEUE_DECIDES(
      32,
      "a job that Kueue admits is neither suspended nor un-suspended by us, and no queue is held"
          + " for longer than two minutes"),
  OWN_NODE_ONLY(
      33, "what an agent says of pods counts for the pods of its own node, and for no others"),
  LIES_STAY_HOME(
      34,
      "what an agent makes up about pods of its own node stops no job without a pod there, and no"
          + " Recovered rests on it against what other ranks say"),
  TRUE_NETWORK(
      35,
      "a job that requires RDMA never counts as recovered on TCP, and what is said of the network"
          + " of a recovered gang is so"),
  TRUE_TIMEOUTS(36, "what a recovery says that it waited for in vain, it waited for so long"),
  PLANNED_ROOM(37, "a node has room for the pods that a plan takes to it"),
  SHOWN_FAULTS(38, "a fault that a condition shows is not cleared before that is False"),
  MAINTENANCE(
      39,
      "while the policy is paused no job is stopped and no node fenced; outside the maintenance"
          + " windows no gang is stopped that trains"),
  NEEDED_STOPS(
      40, "no gang is stopped that has trained for a minute while nothing was wrong with it"),
  FENCE_QUOTA(41, "no more nodes are fenced for the programs of a namespace than its quota allows"),
  FROZEN_WHILE_HELD(42, "no gang stays frozen while its recovery is held"),
  SAID_REFUSALS(43, "what is refused for good on nodes, and is asked for all the time, is said"),
  TRUE_CAUSES(44, "what a recovery says that happened to its job has happened"),
  TRUE_HISTORY(
      45,
      "the phases of a recovery follow each other in their order, its timeline only grows, and no"
          + " two recoveries of a job act at once"),
  PROMPT(
      46,
      "in the calm no recovery stays in a phase for longer than its time, no job stands unheard,"
          + " and no fence outlives its fault for long"),
  GRACE(47, "a pod is removed by force only where its node is silent or gone"),
  TRUE_EXCLUSIONS(48, "a gang is kept off nodes that something is wrong with, and off no others"),
  KEPT_RECORDS(49, "no record is deleted that a decision still asks for"),
  SPARES(
      50,
      "a job has no more warm spares than it asks for and its policy allows, none that outlives its"
          + " use or its node, and none that keeps a pod of its gang waiting"),
  TRUE_FIGURES(51, "what a recovery says of steps, times and losses is so"),
  TRUE_LIMITS(52, "what is given up or refused for a limit has reached it"),
  RESUMED_AS_PLANNED(53, "what a recovery verifies is what it has started, and has planned"),
  LEFTOVERS(
      54,
      "what a recovery found of nodes stands on them when it is over, and nothing else of it is"
          + " left on its job"),
  LOCAL_CHECKPOINT(
      55,
      "a checkpoint of which each node keeps a copy is pinned only where it is whole, and of one"
          + " save, on every node that it is pinned for"),
  TRUE_RESUMES(56, "what a recovery says that its gang has made of its checkpoint is so"),
  SAID_REASONS(57, "what stands in the way of a recovery is said on its job"),
  NEVER_RESTARTED(
      58, "no recovery begins for the end of a launcher that asked never to be restarted"),
  ASKED_AGAIN(59, "what was refused is asked for again, and not all the time"),
  OTHERS_STOPS(
      60,
      "a Workload that a person has deactivated is not activated by us, and a queue that an"
          + " administrator has stopped is not opened by us"),
  WHOLE_GANG(
      61, "in the calm no gang that we brought back runs in part for longer than its start takes"),
  ADDRESSES(
      62, "a node has a device and an address of each rail for the pods that a plan takes to it"),
  LEAKS(
      63,
      "no pod is removed by force while a pool without a spare address has one of it, unless that"
          + " was waited for"),
  GONE_JOBS(64, "of a job that is gone nothing is left that holds others up"),
  INSPECTED_AGAIN(
      65,
      "a recovery that is held as no checkpoint could be judged has an inspector, or asks for one"),
  SAID_TRANSITIONS(
      66,
      "each Event that the status of a recovery names is written, whichever process ends before"),
  TRUE_LOOPS(67, "an attempt that is ended for a crash loop before its first step is in one"),
  ONCE_IN_PLACE(68, "a recovery restarts its gang in place at most once, in its first attempt"),
  OTHERS_NODES(
      69,
      "a node on which somebody else is at work is not fenced by us, and no gang is brought there"),
  ONE_LEADER(70, "a process of the controller sends nothing while another one holds the lease"),
  LADDER(
      71,
      "a job that fails from its checkpoint is tried on other nodes, then one checkpoint back, and"
          + " no further"),
  OWN_DISK(
      72,
      "where rank 0 alone saves, to a disk of its node, a gang goes back there or stays stopped");

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
