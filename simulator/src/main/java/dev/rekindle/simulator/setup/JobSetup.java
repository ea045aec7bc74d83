package dev.rekindle.simulator.setup;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.PodNeeds;
import dev.rekindle.controller.model.RestartMode;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A PyTorchJob at the start: one master, the rest workers.
 *
 * @param key its namespace and name
 * @param ranks pods of the gang, at least 1
 * @param gpusPerRank GPUs that each requests
 * @param restart restart policy of every replica
 * @param optIn what its owner requested
 * @param step time that one training step takes
 * @param checkpointEvery steps between two checkpoints
 * @param checkpointWrite time that writing one takes; training waits for it
 * @param atomicWrite whether a checkpoint gets its name only when it is complete; else one that is
 *     cut off is torn
 * @param readsResumePath whether the script resumes from what its environment names; else it takes
 *     the newest by itself
 * @param steps step at which it has finished
 * @param stallTimeout its own stall timeout, absent for the policy's
 * @param graceSeconds grace period that its pods request
 * @param way how its owner wants it brought back, absent for the policy's way
 * @param backoffLimit container restarts at which the operator fails it, absent for no limit
 * @param recorder which of its ranks write a dump when they are asked
 * @param traces what its logs and the kernel's counters show of its ranks
 * @param tracked whether the script finds its newest checkpoint by a tracker, which its owner lets
 *     be rewritten
 * @param lines what its logs say of the network
 * @param spares warm spares that its owner requests
 * @param requiresRdma whether a gang of it that came back without RDMA is not recovered
 * @param eachNode whether its checkpoints are on a path of the host: each node keeps a copy
 * @param rankZeroSaves whether rank 0 alone saves, and loads: of these copies there is that of its
 *     node
 * @param partCopies copies that its nodes keep of the part of each rank, as with NVIDIA's
 *     resiliency extension; 0 where it saves otherwise
 * @param volumeNodes nodes that reach the volume on which rank 0 saves; 0 where all do
 * @param beginsUnreachable whether its script may begin while none of these can be used
 * @param needs which nodes its templates let its pods onto
 * @param podGroup whether the scheduler plugin Coscheduling places its pods, all together or none
 */
@RecordBuilder
public record JobSetup(
    JobKey key,
    int ranks,
    int gpusPerRank,
    RestartPolicy restart,
    OptIn optIn,
    Duration step,
    int checkpointEvery,
    Duration checkpointWrite,
    boolean atomicWrite,
    boolean readsResumePath,
    long steps,
    @Nullable Duration stallTimeout,
    int graceSeconds,
    @Nullable RestartMode way,
    @Nullable Integer backoffLimit,
    Recorder recorder,
    Traces traces,
    boolean tracked,
    Lines lines,
    int spares,
    boolean requiresRdma,
    boolean eachNode,
    boolean rankZeroSaves,
    int partCopies,
    int volumeNodes,
    boolean beginsUnreachable,
    PodNeeds needs,
    boolean podGroup)
    implements JobSetupBuilder.With {
  /** What is there of a stall beside dumps: lines of its logs, and what its ranks use. */
  public enum Traces {
    /** Nothing. */
    NONE,
    /** What is true. Of some ranks it is missing. */
    TRUE,
    /** The same, but that one rank says and does what one that hangs would, and does not hang. */
    FALSE,
    /** What one rank has logged is of long before it has made its newest steps. */
    OLD
  }

  /** What the logs of a job say of the network that NCCL uses. */
  public enum Lines {
    /** Nothing: NCCL_DEBUG is not set. */
    NONE,
    /** What is true, of each rank. */
    TRUE,
    /** What is true; of some ranks nothing. */
    MOST,
    /** That it is InfiniBand, whatever it is: its script prints so. */
    FORGED
  }

  /** Which ranks of a job have a flight recorder that can be asked for a dump. */
  public enum Recorder {
    /** All of them. */
    ALL,
    /** All; of some the dump does not come, or not complete. */
    MOST,
    /** None of them. */
    NONE
  }

  /**
   * A job as most are: it restarts under OnFailure, makes a step a second with a checkpoint every
   * ten, written complete and at once, resumes from what it is given, and never finishes.
   */
  public static JobSetup of(JobKey key, int ranks, int gpusPerRank, OptIn optIn) {
    return new JobSetup(
        key,
        ranks,
        gpusPerRank,
        RestartPolicy.ON_FAILURE,
        optIn,
        Duration.ofSeconds(1),
        10,
        Duration.ZERO,
        true,
        true,
        Long.MAX_VALUE,
        null,
        30,
        null,
        null,
        Recorder.ALL,
        Traces.NONE,
        false,
        Lines.NONE,
        0,
        false,
        false,
        false,
        0,
        0,
        false,
        PodNeeds.NONE,
        false);
  }

  /** The same under another name. */
  public JobSetup called(JobKey name) {
    return withKey(name);
  }

  /** The same with so many ranks. */
  public JobSetup sized(int newRanks) {
    return withRanks(newRanks);
  }

  /** The same with another image or command: another pace, and other checkpoints. */
  public JobSetup running(Duration newStep, int newCheckpointEvery) {
    return with(b -> b.step(newStep).checkpointEvery(newCheckpointEvery));
  }
}
