package dev.rekindle.simulator.replay;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;

/**
 * Everything that no trace says and every figure hangs on.
 *
 * @param jobNodes nodes that the job uses, one rank on each
 * @param spares nodes beyond those
 * @param gpusPerNode GPUs of each node; a rank uses all of its node
 * @param step time that one training step takes
 * @param checkpointInterval training between two checkpoints
 * @param checkpointWrite time that writing one takes; training waits for it
 * @param start from a pod's place to the rendezvous: image, imports, process groups
 * @param load reading the checkpoint
 * @param collective how long ranks wait for a lost peer before they abort (NCCL's timeout)
 * @param stall steps standing so long while all pods run count as a hang
 * @param maxFenced nodes that the controller may have fenced at one time
 * @param operatorRate pods that the training operator creates in a second
 * @param notice from the moment training stands to the moment a person is alerted
 * @param respond from there to that person at work on it
 * @param manualRestart from there to the job resumed: finding and cordoning the node, draining; the
 *     start of the job comes on top
 * @param unknown what a row becomes that does not say what failed
 * @param seed of all chance
 */
@RecordBuilder
record Assumptions(
    int jobNodes,
    int spares,
    int gpusPerNode,
    Duration step,
    Duration checkpointInterval,
    Duration checkpointWrite,
    Duration start,
    Duration load,
    Duration collective,
    Duration stall,
    int maxFenced,
    int operatorRate,
    Duration notice,
    Duration respond,
    Duration manualRestart,
    FaultKind unknown,
    long seed)
    implements AssumptionsBuilder.With {

  int fleet() {
    return jobNodes + spares;
  }

  /** GPUs of the job. */
  long gpus() {
    return (long) jobNodes * gpusPerNode;
  }

  /** Steps between two checkpoints. */
  int stepsPerCheckpoint() {
    return (int) Math.max(1, checkpointInterval.toMillis() / step.toMillis());
  }

  /** How long the operator takes to create all pods, one after the other. */
  Duration creation() {
    return Duration.ofMillis(jobNodes * 1000L / operatorRate);
  }
}
