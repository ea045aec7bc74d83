package dev.rekindle.detect.evidence;

import java.util.List;

/**
 * The process of a rank.
 *
 * @param rank its global rank
 * @param worldSize ranks of the job; 0 where its environment does not say
 * @param pid its process id on the node
 * @param stopped whether it, or a process that it has started, is stopped by a signal or a debugger
 * @param dumpPrefix where its flight recorder writes dumps, without the rank; empty for nowhere
 * @param pipePrefix where its pipe is, without {@code RANK.pipe}; empty where it has none
 * @param all its process and those that it has started, by id, at most {@link #MOST_PROCESSES}
 */
record RankProcess(
    int rank,
    int worldSize,
    long pid,
    boolean stopped,
    String dumpPrefix,
    String pipePrefix,
    List<Long> all) {
  /** Processes of one rank, workers of its data loaders among them, that are read. */
  static final int MOST_PROCESSES = 64;

  /** Its pipe; for a rank that has one. */
  String pipe() {
    return pipePrefix + rank + ".pipe";
  }
}
