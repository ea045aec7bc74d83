package dev.rekindle.detect.stall;

import dev.rekindle.api.RankEvidence.Frame;
import dev.rekindle.detect.flightrecorder.Dump;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Weighs Python stacks beside all other witnesses, and shows where the ranks are that are named in
 * the end: what a person asks first.
 */
final class StackFusion {
  private static final int SHOWN = 4;

  /** Where a rank waits for one peer. Recorders of Gloo keep nothing of it. */
  private static final String PEER_CALLS = "torch/distributed/distributed_c10d.py";

  /** Over NCCL a host stands inside of the innermost until its peer comes to connect. */
  private static final Set<String> TO_ONE_PEER = Set.of("recv", "send", "irecv", "isend");

  private StackFusion() {}

  /**
   * One verdict.
   *
   * @param report of all other witnesses
   * @param named whether one of those by itself names any rank, or shows that a rank of the outlier
   *     waits for another one
   * @param outlier the ranks that stacks single out
   * @param stacks frames by rank, innermost first
   * @param dumps those that are there
   */
  static StallReport of(
      StallReport report,
      boolean named,
      Outlier outlier,
      Map<Integer, List<Frame>> stacks,
      Collection<Dump> dumps) {
    var seen = guessedWhereUnseen(withoutThoseThatReceive(report, stacks), stacks, dumps);
    return shown(OutlierFusion.of(seen, named, outlier), stacks);
  }

  /**
   * A guess, where a rank has no stack while others have one, and its recorder keeps no sends and
   * receives: it may wait in such.
   */
  private static StallReport guessedWhereUnseen(
      StallReport report, Map<Integer, List<Frame>> stacks, Collection<Dump> dumps) {
    boolean some = stacks.values().stream().anyMatch(stack -> !stack.isEmpty());
    var unseen =
        dumps.stream()
            .filter(Dump::withoutPeerCalls)
            .map(Dump::rank)
            .filter(rank -> stacks.getOrDefault(rank, List.of()).isEmpty())
            .toList();
    boolean guess =
        some
            && report.stallClass() == StallClass.HOST
            && report.culprits().stream().map(Culprit::rank).anyMatch(unseen::contains);
    return guess
        ? new StallReport(report.culprits(), report.stallClass(), Confidence.LOW, report.evidence())
        : report;
  }

  /**
   * The same without ranks that have not joined a collective because they wait in a receive or a
   * send: the peer of that holds them up, and no stack says which it is. Where no rank is left the
   * class is unknown.
   */
  private static StallReport withoutThoseThatReceive(
      StallReport report, Map<Integer, List<Frame>> stacks) {
    if (report.stallClass() != StallClass.HOST) {
      return report;
    }
    List<Culprit> left = new ArrayList<>();
    List<String> evidence = new ArrayList<>();
    for (var culprit : report.culprits()) {
      var stack = stacks.getOrDefault(culprit.rank(), List.of());
      if (stack.isEmpty() || !isToOnePeer(stack.getFirst())) {
        left.add(culprit);
      } else if (evidence.size() < SHOWN) {
        evidence.add(
            "rank %d waits for a peer in %s: not named"
                .formatted(culprit.rank(), stack.getFirst()));
      }
    }
    if (left.size() == report.culprits().size()) {
      return report;
    }
    evidence.addAll(report.evidence());
    return left.isEmpty()
        ? new StallReport(left, StallClass.UNKNOWN, Confidence.LOW, evidence)
        : new StallReport(left, report.stallClass(), report.confidence(), evidence);
  }

  private static boolean isToOnePeer(Frame frame) {
    return frame.file().equals(PEER_CALLS) && TO_ONE_PEER.contains(frame.function());
  }

  /** The same verdict, with where the ranks are that it names. */
  static StallReport shown(StallReport report, Map<Integer, List<Frame>> stacks) {
    List<String> evidence = new ArrayList<>();
    report.culprits().stream()
        .map(Culprit::rank)
        .filter(rank -> !stacks.getOrDefault(rank, List.of()).isEmpty())
        .limit(SHOWN)
        .forEach(
            rank ->
                evidence.add(
                    "rank %d is in %s"
                        .formatted(
                            rank, StackOutlier.shown(stacks.getOrDefault(rank, List.of())))));
    evidence.addAll(report.evidence());
    return new StallReport(report.culprits(), report.stallClass(), report.confidence(), evidence);
  }
}
