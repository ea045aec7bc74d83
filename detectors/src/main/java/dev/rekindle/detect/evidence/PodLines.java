package dev.rekindle.detect.evidence;

import dev.rekindle.api.RankEvidence;
import dev.rekindle.detect.ncclog.LogFact.CollectiveMismatch;
import dev.rekindle.detect.ncclog.LogFact.IbAsyncEvent;
import dev.rekindle.detect.ncclog.LogFact.IbCompletion;
import dev.rekindle.detect.ncclog.LogFact.PeerClosed;
import dev.rekindle.detect.ncclog.LogFact.PeersFailed;
import dev.rekindle.detect.ncclog.LoggedLine;
import dev.rekindle.detect.stall.LineRecord;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What the logs of the pods of this node have said of late. For any thread. */
public final class PodLines {
  private final Map<String, List<LoggedLine>> byPod = new ConcurrentHashMap<>();

  /** Keeps what the log of a pod says by now, in place of what it said before. */
  public void keep(String podUid, List<LoggedLine> lines) {
    if (!lines.isEmpty()) {
      byPod.put(podUid, List.copyOf(lines));
    } else if (!byPod.isEmpty()) {
      byPod.remove(podUid);
    }
  }

  /** Forgets all other pods. */
  public void retain(Set<String> podUids) {
    byPod.keySet().retainAll(podUids);
  }

  /**
   * The lines of one rank of a pod. A line that does not say who printed it is of the only rank of
   * its pod; where there are more, one that names others or the host is given to the first.
   *
   * @param ranks all ranks of the pod
   */
  List<RankEvidence.Line> of(String podUid, int rank, Collection<Integer> ranks) {
    int first = ranks.stream().mapToInt(r -> r).min().orElse(rank);
    return byPod.getOrDefault(podUid, List.of()).stream()
        .filter(
            line ->
                line.rank() == rank
                    || (line.rank() < 0
                        && rank == first
                        && (ranks.size() == 1 || isOfNoRank(line))))
        .limit(RankEvidence.MOST_LINES)
        .map(LineRecord::of)
        .toList();
  }

  private static boolean isOfNoRank(LoggedLine line) {
    return switch (line.fact()) {
      case IbCompletion _, IbAsyncEvent _, PeerClosed _, PeersFailed _, CollectiveMismatch _ ->
          true;
      default -> false;
    };
  }
}
