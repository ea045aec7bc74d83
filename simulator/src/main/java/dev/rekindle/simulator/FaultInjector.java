package dev.rekindle.simulator;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.simulator.process.Fleet;
import dev.rekindle.simulator.world.Poison;
import dev.rekindle.simulator.world.SimEvent.Kind;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.util.List;

/** Faults of a cluster, and actions of people. Each takes effect at once. */
public final class FaultInjector {
  private final World world;
  private final Fleet fleet;

  FaultInjector(World world, Fleet fleet) {
    this.world = world;
    this.fleet = fleet;
  }

  private void fault(String subject, String text) {
    world.emit(Kind.FAULT, subject, text);
  }

  /** XID 79: a GPU falls off the bus; the rank on it waits for ever. */
  public void gpuLost(String node) {
    fault(node, "a GPU falls off the bus");
    world.hardware().gpuLost(node);
  }

  /** XID 95: an uncontained memory error; the rank on it dies. */
  public void eccError(String node) {
    fault(node, "a GPU meets an uncontained memory error");
    world.hardware().eccError(node);
  }

  /** XID 64: a GPU is to be replaced, and its rank trains on. */
  public void rowRemapFails(String node) {
    fault(node, "a GPU cannot remap a broken row of its memory");
    world.hardware().rowRemapFails(node);
  }

  /** XID 79 after each boot: the GPU is dead. */
  public void gpuDies(String node) {
    fault(node, "a GPU dies");
    world.hardware().gpuDies(node);
  }

  /** XID 31 now and then, whatever runs there. */
  public void flaky(String node) {
    fault(node, "a GPU makes a mistake");
    world.hardware().flakyXid(node);
  }

  /** XID 31 on every GPU of the job at once. */
  public void programFails(JobKey job) {
    fault(job.toString(), "its program reads where nothing is");
    world.hardware().programXid(job);
  }

  /** XID 154 to None. */
  public void driverClears(String node) {
    fault(node, "the driver gives the all-clear for its GPU");
    world.hardware().driverClears(node);
  }

  /** The node loses its power, and starts again after that time. */
  public void reboot(String node, Duration time) {
    fault(node, "is rebooted");
    world.nodeOutages().powerOff(node);
    world.nodeOutages().rebooted(node, time);
  }

  /** The same, and its kubelet never says that the node is not ready. */
  public void rebootQuietly(String node, Duration time) {
    world.nodeOutages().bootsQuietly(node);
    reboot(node, time);
  }

  /** The fabric port goes down; collectives over it stand still. */
  public void nicDown(String node) {
    fault(node, "its fabric port goes down");
    world.hardware().nicDown(node);
  }

  /** A leaf switch goes down, and with it the fabric ports of all its nodes. */
  public void leafDown(String leaf) {
    fault(leaf, "the leaf switch goes down");
    for (var node : world.nodes().list()) {
      if (node.setup().leaf().equals(leaf)) {
        world.hardware().nicDown(node.meta().name());
      }
    }
  }

  /** A condition of the node turns, as its author sees it. */
  public void condition(String node, String type, String status, String reason) {
    fault(node, "condition %s turns %s (%s)".formatted(type, status, reason));
    world.nodeConditions().set(node, type, status, reason);
  }

  /** The node loses its power. */
  public void nodeDies(String node) {
    fault(node, "loses its power");
    world.nodeOutages().powerOff(node);
  }

  /** The node has power, continues and is connected again. */
  public void nodeReturns(String node) {
    fault(node, "is back");
    world.nodeOutages().back(node);
  }

  /** Kubelet and processes of the node stop where they are. */
  public void nodeHangs(String node) {
    fault(node, "hangs");
    world.nodeOutages().freeze(node);
  }

  /** The node loses the API server; what runs on it runs on. */
  public void cutOff(String node) {
    fault(node, "is cut off from the API server");
    world.nodeOutages().cutOff(node);
  }

  /** One rank stops, and nothing shows it. */
  public void rankHangs(JobKey job, int rank) {
    fault(job.toString(), "rank " + rank + " hangs");
    world.jobFaults().hang(job, rank);
  }

  /** The device of a rank completes nothing more, and neither it nor its node shows an error. */
  public void deviceStalls(JobKey job, int rank) {
    fault(job.toString(), "the device of rank " + rank + " stalls");
    world.jobFaults().stallDevice(job, rank);
  }

  /** The script of a rank requests a restart of the gang from its newest checkpoint. */
  public void restartAsked(JobKey job, int rank) {
    fault(job.toString(), "the script of rank " + rank + " asks for a restart");
    world.jobFaults().askForRestart(job, rank, null);
  }

  /** The same, from before a step that is so many back. */
  public void rollBackAsked(JobKey job, int rank, long stepsBack) {
    fault(
        job.toString(),
        "the script of rank %d asks for a restart from %d steps back".formatted(rank, stepsBack));
    world.jobFaults().askForRestart(job, rank, stepsBack);
  }

  /** The process of a rank ends with that code; above 128 by a signal. */
  public void rankDies(JobKey job, int rank, int exitCode) {
    fault(job.toString(), "rank " + rank + " dies with code " + exitCode);
    world.jobFaults().die(job, rank, exitCode);
  }

  /** The next starts of a rank end with code 1. */
  public void rankDiesAtStart(JobKey job, int rank, int times) {
    fault(job.toString(), "the next %d starts of rank %d fail".formatted(times, rank));
    world.jobFaults().failStarts(job, rank, times);
  }

  /** The checkpoints of a job are on the disk of one node, through which alone they are read. */
  public void keepCheckpointsOn(JobKey job, String node) {
    world.jobFaults().keepCheckpointsOn(job, node);
  }

  /** The newest complete checkpoint loses a part of its bytes. */
  public void tearNewestCheckpoint(JobKey job) {
    fault(job.toString(), "its newest checkpoint loses a part of its bytes");
    world.jobFaults().tearNewestCheckpoint(job);
  }

  /** Its saves fail from now on, as on a full disk, and it trains on without them. */
  public void failSaves(JobKey job) {
    fault(job.toString(), "its saves fail");
    world.jobFaults().failSaves(job);
  }

  /** So many of its newest checkpoints look complete and are not. */
  public void poisonNewestCheckpoints(JobKey job, Poison poison, int count) {
    fault(job.toString(), "its newest %d checkpoints are poisoned: %s".formatted(count, poison));
    world.jobFaults().poisonNewestCheckpoints(job, poison, count);
  }

  /** The leading process of the controller dies at once. */
  public void controllerDies() {
    fault("controller", "the leader is killed");
    fleet.killLeader();
  }

  /** The agent of the node is killed; it is started again after that time. */
  public void agentDies(String node, Duration back) {
    fault(node, "its agent is killed");
    world.nodeAgents().dies(node, back);
  }

  /** The agent of the node is slow for so long. */
  public void agentSlow(String node, Duration time) {
    fault(node, "its agent is slow");
    world.nodeAgents().slow(node, time);
  }

  /** The agent of the node can freeze nothing for so long. */
  public void agentCannotFreeze(String node, Duration time) {
    fault(node, "its agent can freeze nothing");
    world.nodeAgents().cannotFreeze(node, time);
  }

  /** The hardware is put right, and an SRE deletes the NodeFaults of the node. */
  public void repaired(String node) {
    fault(node, "is repaired");
    world.nodeOutages().repair(node);
  }

  /** A person clears the record of incidents on the node. */
  public void forgiven(String node) {
    fault(node, "is forgiven what it was in trouble for");
    world.nodes().patch(node, n -> n.withIncidents("").withForgiven(true));
  }

  /** Its user suspends the job. */
  public void suspend(JobKey job) {
    fault(job.toString(), "its user suspends it");
    world.jobs().patch(job.toString(), j -> j.withSuspend(true, ""));
  }

  /** Its user resumes the job. */
  public void resume(JobKey job) {
    fault(job.toString(), "its user resumes it");
    world.jobs().patch(job.toString(), j -> j.withSuspend(false, j.suspendedBy()));
  }

  /** Its user deletes the job. */
  public void deleteJob(JobKey job) {
    fault(job.toString(), "its user deletes it");
    world.jobs().delete(job.toString(), "", null);
  }

  /** Its user takes the annotation off. */
  public void optOut(JobKey job) {
    fault(job.toString(), "its user opts out");
    world.jobs().patch(job.toString(), j -> j.with(new OptIn.No()));
  }

  /** An SRE cordons the node by hand. */
  public void cordon(String node) {
    fault(node, "is cordoned by hand");
    world.nodes().patch(node, n -> n.unschedulable() ? n : n.cordoned(true, ""));
  }

  /** An SRE lifts a cordon by hand; whose mark the node carries stays as it is. */
  public void uncordon(String node) {
    fault(node, "is uncordoned by hand");
    world.nodes().patch(node, n -> n.cordoned(false, n.fencedBy()));
  }

  /** An SRE removes by force the pods of a node. */
  public void forceDeletePods(String node) {
    fault(node, "its pods are removed by force");
    for (var pod : world.pods().list("spec.nodeName", node)) {
      world.pods().delete(pod.meta().key(), pod.meta().uid(), Duration.ZERO);
    }
  }

  /** An SRE deletes the recoveries of the job. */
  public void deleteRecoveries(JobKey job) {
    fault(job.toString(), "its recoveries are deleted");
    for (var recovery : List.copyOf(world.recoveries().list())) {
      if (recovery.view().job().equals(job)) {
        world.recoveries().delete(recovery.meta().key(), "", null);
      }
    }
  }
}
