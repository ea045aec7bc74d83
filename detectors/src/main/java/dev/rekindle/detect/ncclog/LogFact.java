package dev.rekindle.detect.ncclog;

import java.util.List;

/** What one line says. Texts are the program's, cut to {@link #LONGEST_TEXT}. */
public sealed interface LogFact {
  /** Longest text in a fact. */
  int LONGEST_TEXT = 64;

  /** Most ranks that one line names. */
  int MOST_RANKS = 64;

  /**
   * {@code Watchdog caught collective operation timeout}: the rank waited for others.
   *
   * @param group the process group
   * @param sequence number of the collective
   * @param operation {@code ALLREDUCE}, {@code _ALLGATHER_BASE}, {@code COALESCED}
   * @param ranMillis how long it waited
   */
  record CollectiveTimeout(LoggedGroup group, long sequence, String operation, long ranMillis)
      implements LogFact {}

  /**
   * {@code last enqueued work: 9, last completed work: 8}, of the rank that prints it.
   *
   * @param group the process group
   * @param enqueued number of the last collective that the host enqueued
   * @param completed number of the last one that is over; -1 for none yet
   */
  record WorkCounters(LoggedGroup group, long enqueued, long completed) implements LogFact {}

  /**
   * A rank was asked to dump because another one timed out first.
   *
   * @param from the rank that timed out first; -1 where the line does not say
   * @param enqueued of the rank that prints it; -1 where the line does not say
   * @param completed of the rank that prints it
   * @param group the process group
   */
  record DumpSignal(LoggedGroup group, long from, long enqueued, long completed)
      implements LogFact {}

  /**
   * The watchdog of the rank itself makes no progress: its CUDA calls or its GIL are stuck.
   *
   * @param seconds for how long
   */
  record WatchdogStuck(long seconds) implements LogFact {}

  /** The rank could not take the GIL. */
  record GilStuck() implements LogFact {}

  /** There are no dumps of a flight recorder: it is off. */
  record RecorderOff() implements LogFact {}

  /**
   * An error was propagated by the rank that saw it first, which may have timed out.
   *
   * @param from its rank inside the group
   * @param group the process group
   */
  record RemoteError(LoggedGroup group, long from) implements LogFact {}

  /**
   * Ranks did not come to a monitored barrier.
   *
   * @param ranks which
   */
  record PeersFailed(List<Integer> ranks) implements LogFact {
    public PeersFailed {
      ranks = List.copyOf(ranks.subList(0, Math.min(MOST_RANKS, ranks.size())));
    }
  }

  /**
   * Two ranks call different collectives ({@code TORCH_DISTRIBUTED_DEBUG=DETAIL}).
   *
   * @param first one rank
   * @param firstCall what it runs
   * @param second the other
   * @param secondCall what that runs
   */
  record CollectiveMismatch(long first, String firstCall, long second, String secondCall)
      implements LogFact {}

  /**
   * {@code CUDA error: ...}.
   *
   * @param error its text
   */
  record DeviceError(String error) implements LogFact {}

  /**
   * A completion with an error: {@code NET/IB : Got completion from peer}.
   *
   * @param reporter host that prints it; empty where the line does not say
   * @param peer address of the peer
   * @param status of the verbs API: 12 for no answer, 5 for what follows from an error
   * @param hca the adapter; empty where the line does not say
   */
  record IbCompletion(String reporter, String peer, int status, String hca) implements LogFact {
    /** What was sent was not acknowledged: the peer or the path to it does not answer. */
    public static final int NO_ANSWER = 12;

    /** The connection was in error before. */
    public static final int FLUSHED = 5;
  }

  /**
   * An event of the host's own adapter.
   *
   * @param reporter host that prints it; empty where the line does not say
   * @param device {@code mlx5_0:1}; empty where the line does not say
   * @param fatal whether the device is lost
   * @param event what happened
   */
  record IbAsyncEvent(String reporter, String device, boolean fatal, String event)
      implements LogFact {}

  /**
   * A peer's process closed its connection.
   *
   * @param reporter host that prints it; empty where the line does not say
   * @param peer address of the peer
   */
  record PeerClosed(String reporter, String peer) implements LogFact {}
}
