package dev.rekindle.detect.stall;

import dev.rekindle.detect.ncclog.LogFact.IbCompletion;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Which peers hosts get no answer from, by NCCL's lines on InfiniBand. */
final class LinkEvidence {
  private static final int FEW = 3;

  /** Who gets no answer from a peer, by its address. */
  private final NavigableMap<String, NavigableSet<String>> unanswered = new TreeMap<>();

  private final Set<String> reporters = new HashSet<>();
  private final Set<String> adapters = new HashSet<>();

  /** Ranks by an address of theirs. */
  private final Map<String, NavigableSet<Integer>> ranks;

  private final NavigableSet<Integer> unreached = new TreeSet<>();

  LinkEvidence(Map<String, NavigableSet<Integer>> ranks) {
    this.ranks = ranks;
  }

  /** Ranks at an address from which most hosts that say so, two at least, get no answer. */
  NavigableSet<Integer> unreached() {
    return unreached;
  }

  /**
   * Takes one completion with an error.
   *
   * @return what is to be said of one that shows no unreachable peer
   */
  Optional<String> take(String reporter, IbCompletion completion) {
    if (completion.status() == IbCompletion.NO_ANSWER) {
      unanswered.computeIfAbsent(completion.peer(), _ -> new TreeSet<>()).add(reporter);
      reporters.add(reporter);
      adapters.add(completion.hca());
      return Optional.empty();
    }
    return completion.status() == IbCompletion.FLUSHED
        ? Optional.empty()
        : Optional.of(
            "%s: IB status %d of peer %s"
                .formatted(reporter, completion.status(), completion.peer()));
  }

  /**
   * Adds a line for each suspect, and says what it comes to. One peer that most cannot reach is
   * suspected; where all are on one adapter, its rail is.
   */
  StallClass write(List<String> lines) {
    int all = reporters.size();
    var suspects =
        unanswered.entrySet().stream()
            .filter(e -> e.getValue().size() >= 2 && 2 * e.getValue().size() > all)
            .toList();
    if (!suspects.isEmpty()) {
      suspects.forEach(e -> unreached.addAll(ranks.getOrDefault(e.getKey(), new TreeSet<>())));
      suspects.forEach(
          e ->
              lines.add(
                  "%s: no answer from %s (IB status 12): that host or its link"
                      .formatted(some(e.getValue()), peer(e.getKey()))));
      return StallClass.DEVICE_OR_LINK;
    }
    if (all >= FEW && adapters.size() == 1 && !adapters.contains("")) {
      lines.add(
          "%d hosts get no answer from %d peers (IB status 12), all on %s: a rail or its switch"
              .formatted(all, unanswered.size(), adapters.iterator().next()));
      return StallClass.NETWORK;
    }
    unanswered.entrySet().stream()
        .limit(FEW)
        .forEach(
            e ->
                lines.add(
                    "%s: no answer from %s (IB status 12)"
                        .formatted(some(e.getValue()), peer(e.getKey()))));
    return StallClass.UNKNOWN;
  }

  /** An address, with the ranks that have it. */
  String peer(String address) {
    var those = ranks.get(address);
    return those == null ? address : address + " (" + StallAnalysis.ranks(those) + ")";
  }

  /** The first few of these names. */
  static String some(NavigableSet<String> names) {
    var shown = String.join(", ", names.stream().limit(FEW).toList());
    return names.size() > FEW ? shown + " and " + (names.size() - FEW) + " more" : shown;
  }
}
