package dev.rekindle.detect.checkpoint;

import java.util.Optional;

/**
 * Whether a checkpoint can be loaded by a gang of another size than the one that saved it.
 *
 * <p>Formats that are sharded anew as they are loaded fit any gang. Of the others a checkpoint says
 * how many ranks have saved it, without those that pipelines and the like multiply. A rank has one
 * GPU or several, so that a gang whose GPUs are no multiple of these ranks cannot load it. A gang
 * whose GPUs are one may still be unable to: nothing is said then.
 */
public final class WorldFit {
  private WorldFit() {}

  /**
   * Why it does not fit, a clause; empty where it does, or nothing is known.
   *
   * @param ranks of which those that load it must be a multiple; 0 where that is not known
   * @param gpus of the whole gang; 0 where it has none
   */
  public static Optional<String> fault(int ranks, long gpus) {
    return ranks <= 0 || gpus <= 0 || gpus % ranks == 0
        ? Optional.empty()
        : Optional.of("it is of %d ranks, and the job has %d GPUs".formatted(ranks, gpus));
  }
}
