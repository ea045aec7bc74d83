package dev.rekindle.detect.evidence;

/**
 * The process of a rank.
 *
 * @param rank its global rank
 * @param worldSize ranks of the job; 0 where its environment does not say
 * @param pid its process id on the node
 * @param stopped whether it, or a process that it has started, is stopped by a signal or a debugger
 * @param dumpPrefix where its flight recorder writes dumps, without the rank; empty for nowhere
 * @param pipePrefix where its pipe is, without {@code RANK.pipe}; empty where it has none
 */
record RankProcess(
    int rank, int worldSize, long pid, boolean stopped, String dumpPrefix, String pipePrefix) {
  /** Its pipe; for a rank that has one. */
  String pipe() {
    return pipePrefix + rank + ".pipe";
  }
}
