package dev.rekindle.simulator.world;

import java.time.Duration;
import java.util.Collection;

/** What the disks of nodes have of the checkpoints of one job, as it really is at one moment. */
public sealed interface StoredCopies permits NodeCopies, StoredParts {
  /**
   * Whether these disks have the checkpoint of that step: each a whole copy, or together a whole
   * part of each rank.
   */
  boolean isWhole(Collection<String> of, long step);

  /** The same, and all of it was written by one training at one time. */
  boolean isOneSave(Collection<String> of, long step);

  /** How far apart the copies or parts of that step were written. */
  Duration apart(Collection<String> of, long step);

  /** Whether none of the disks shows that an earlier step was written after that one. */
  boolean isInOrder(Collection<String> of, long step);

  /**
   * The newest step that they have complete and of one save, that is not given up, and of whose
   * disks none shows that an earlier step was written later; 0 where there is none.
   */
  long newest(Collection<String> of);
}
