package dev.rekindle.simulator.world;

/** The process of one rank: one run of the container of one pod. */
final class RankProcess {
  /** What it is doing. */
  enum State {
    /** Imports, device, process group. */
    STARTING,
    /** Waits until every rank is there. */
    WAITING,
    /** Takes part in training. */
    TRAINING,
    /** Waits in a collective for a peer that will not come. */
    BLOCKED,
    /** Ended. */
    DEAD
  }

  final String podKey;
  final String podUid;
  final int rank;
  final String attempt;
  final JobObject.Template template;
  final Machine machine;
  State state = State.STARTING;
  boolean stuck;

  /** Its pod object is gone, and the kubelet has yet to end it. */
  boolean orphaned;

  /** So, and its machine was silent when the object went. */
  boolean orphanedUnheard;

  long firstStep = -1;
  long blocks;

  RankProcess(PodObject pod, Machine machine) {
    this.podKey = pod.meta().key();
    this.podUid = pod.meta().uid();
    this.rank = pod.rank();
    this.attempt = pod.template().attempt();
    this.template = pod.template();
    this.machine = machine;
  }

  /** Whether it takes part when its turn comes. */
  boolean able() {
    return state != State.DEAD && !stuck && machine.trains();
  }

  /** Whether it executes anything at all. */
  boolean runs() {
    return state != State.DEAD && machine.runs();
  }
}
