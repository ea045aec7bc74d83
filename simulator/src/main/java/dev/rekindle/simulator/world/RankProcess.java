package dev.rekindle.simulator.world;

import dev.rekindle.api.RankReportStatus.RestartAsked;
import dev.rekindle.simulator.setup.JobSetup;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

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
  final int restarts;
  final JobObject.Template template;
  final JobSetup program;
  final Machine machine;
  private final HeldGpus held;
  private final String container;

  /**
   * The attempt that it belongs to: that of its pod's template, or the one that has restarted its
   * container in place, or has replaced its pod.
   */
  String generation;

  State state = State.STARTING;
  boolean stuck;

  /** So, and it is its device: its host has joined the collective that its peers wait in. */
  boolean onDevice;

  /** An agent has frozen it: it does nothing and heeds no signal but the last. */
  boolean frozen;

  /**
   * It was frozen and runs on, because its agent received nothing more or its order was withdrawn.
   */
  boolean thawed;

  /** Its kubelet started it while an order kept the gang frozen; agents have yet to report it. */
  boolean early;

  /** It has found the store of a leader of another generation, and waits there in vain. */
  @Nullable RankProcess foundOldStore;

  /** Its pod object is gone, and the kubelet has yet to end it. */
  boolean orphaned;

  /** So, and its machine was silent when the object went. */
  boolean orphanedUnheard;

  /**
   * So, and the Node of its machine had been deleted: to Kubernetes, and all who rely on it, the
   * machine is gone. Nothing can then show that the process runs on.
   */
  boolean disowned;

  long firstStep = -1;

  /** By how much the steps that it prints are off. */
  long forged;

  /** What was read of its lines last, where the rest goes unread. */
  @Nullable RankProgress read;

  /** When its lines were read again. */
  @Nullable Instant readAgain;

  /** What its script has requested. */
  @Nullable RestartAsked asked;

  RankProcess(PodObject pod, Machine machine, String generation) {
    this.podKey = pod.meta().key();
    this.podUid = pod.meta().uid();
    this.rank = pod.rank();
    this.restarts = pod.status().restarts();
    this.generation = generation;
    this.template = pod.template();
    this.program = pod.setup();
    this.machine = machine;
    this.held = pod.held();
    this.container = machine.container(podUid, restarts);
  }

  /** Whether it takes part when its turn comes. */
  boolean able() {
    return state != State.DEAD && !stuck && !frozen && machine.trains() && !isOnBrokenGpu();
  }

  /** Whether it holds the GPU of its machine that is broken. */
  boolean isOnBrokenGpu() {
    return machine.gpuBroken && holds(machine.faultyGpu());
  }

  /** Whether that GPU of its machine is one of its own. */
  boolean holds(int gpu) {
    return held.has(gpu);
  }

  /** Whether its host has not come to the collective that its peers wait in. */
  boolean stuckOnHost() {
    return stuck && !onDevice;
  }

  /** Whether it executes anything at all. */
  boolean runs() {
    return state != State.DEAD && !frozen && machine.runs();
  }

  /** Name of its container, as the runtime has it. */
  String containerId() {
    return container;
  }

  /** From now on it is one of the gang that the order starts. */
  void joins(OrderObject order) {
    generation = order.generation();
    early = false;
    thawed = false;
    foundOldStore = null;
  }
}
