package dev.rekindle.simulator.chaos;

import dev.rekindle.simulator.setup.JobSetup;

/**
 * Which jobs save on a volume that some nodes reach, and which keep the parts of their ranks on
 * their nodes. It depends on the number of the seed only, so that all other seeds stay the same.
 */
final class LocalStorage {
  private static final int APART = 7;
  private static final int IN_PARTS = 1;
  private static final int ON_VOLUME = 5;

  private LocalStorage() {}

  /** Whether it is one of these. */
  static boolean isLocal(long seed, int job) {
    long kind = Math.floorMod(seed, APART);
    return (kind == IN_PARTS || kind == ON_VOLUME) && Math.floorMod(seed / APART + job, 3) < 2;
  }

  /** The job as it saves in that seed. */
  static JobSetup of(long seed, int number, JobSetup job) {
    if (!isLocal(seed, number)) {
      return job;
    }
    int copies = 1 + Math.floorMod(seed / APART / 3 + number, 2);
    // The loader of parts asks all ranks, and takes no name.
    return Math.floorMod(seed, APART) == IN_PARTS
        ? job.withPartCopies(copies).withReadsResumePath(false)
        : job.withVolumeNodes(copies)
            .withBeginsUnreachable(Math.floorMod(seed / APART / 5 + number, 5) == 0);
  }
}
