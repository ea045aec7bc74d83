package dev.rekindle.detect.stall;

import dev.rekindle.detect.ncclog.LogFact.CollectiveTimeout;
import dev.rekindle.detect.ncclog.LogFact.DumpSignal;
import dev.rekindle.detect.ncclog.LogFact.IbAsyncEvent;
import dev.rekindle.detect.ncclog.LogFact.IbCompletion;
import dev.rekindle.detect.ncclog.LogFact.PeerClosed;
import dev.rekindle.detect.ncclog.LogFact.RecorderOff;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What lines show besides the ranks that they name: who timed out, and what links say. */
final class LogEvidence {
  private static final int FEW = 3;

  private final List<String> lines = new ArrayList<>();
  private final NavigableMap<Integer, CollectiveTimeout> timeouts = new TreeMap<>();
  private final NavigableSet<Long> first = new TreeSet<>();
  private boolean recorderOff;

  /** Who gets no answer from a peer, by its address. */
  private final NavigableMap<String, NavigableSet<String>> unanswered = new TreeMap<>();

  private final Set<String> reporters = new HashSet<>();
  private final Set<String> adapters = new HashSet<>();
  private final NavigableMap<String, NavigableSet<String>> closed = new TreeMap<>();
  private final NavigableSet<String> events = new TreeSet<>();
  private boolean deviceLost;
  private StallClass stallClass = StallClass.UNKNOWN;

  /** Ranks by an address of theirs. */
  private final Map<String, NavigableSet<Integer>> ranks;

  private final NavigableSet<Integer> unreached = new TreeSet<>();

  private LogEvidence(Map<String, NavigableSet<Integer>> ranks) {
    this.ranks = ranks;
  }

  /**
   * Reads facts.
   *
   * @param ranks by an address of theirs, as far as that is known
   */
  static LogEvidence of(Collection<LoggedFact> facts, Map<String, NavigableSet<Integer>> ranks) {
    var evidence = new LogEvidence(ranks);
    facts.forEach(evidence::take);
    evidence.write();
    return evidence;
  }

  void add(String line) {
    lines.add(line);
  }

  List<String> lines() {
    return lines;
  }

  /** What links say of a stall of which no rank can be named. */
  StallClass stallClass() {
    return stallClass;
  }

  /** Ranks at an address from which most hosts that say so, two at least, get no answer. */
  NavigableSet<Integer> unreached() {
    return unreached;
  }

  private String peer(String address) {
    var those = ranks.get(address);
    return those == null ? address : address + " (" + StallAnalysis.ranks(those) + ")";
  }

  private void take(LoggedFact logged) {
    switch (logged.fact()) {
      case CollectiveTimeout timeout -> timeouts.putIfAbsent(logged.rank(), timeout);
      case DumpSignal signal when signal.from() >= 0 -> first.add(signal.from());
      case RecorderOff _ -> recorderOff = true;
      case IbCompletion completion -> take(logged, completion);
      case IbAsyncEvent event -> {
        deviceLost = deviceLost || event.fatal();
        events.add(
            "%s: %s %s".formatted(by(logged, event.reporter()), event.device(), event.event()));
      }
      case PeerClosed peer ->
          closed
              .computeIfAbsent(peer.peer(), _ -> new TreeSet<>())
              .add(by(logged, peer.reporter()));
      default -> {}
    }
  }

  private void take(LoggedFact logged, IbCompletion completion) {
    var reporter = by(logged, completion.reporter());
    if (completion.status() == IbCompletion.NO_ANSWER) {
      unanswered.computeIfAbsent(completion.peer(), _ -> new TreeSet<>()).add(reporter);
      reporters.add(reporter);
      adapters.add(completion.hca());
    } else if (completion.status() != IbCompletion.FLUSHED) {
      events.add(
          "%s: IB status %d of peer %s"
              .formatted(reporter, completion.status(), completion.peer()));
    }
  }

  private static String by(LoggedFact logged, String host) {
    if (!host.isEmpty()) {
      return host;
    }
    return logged.rank() >= 0 ? "rank " + logged.rank() : "log " + logged.order().source();
  }

  private void write() {
    if (!timeouts.isEmpty()) {
      lines.add(timeouts.size() + (timeouts.size() == 1 ? " rank" : " ranks") + " timed out");
    }
    timeouts.entrySet().stream().limit(FEW).forEach(e -> lines.add(waited(e)));
    if (!first.isEmpty()) {
      lines.add("rank " + first.first() + " timed out first, waiting for others");
    }
    if (recorderOff) {
      lines.add("the flight recorder is off: there are no dumps");
    }
    links();
    closed.entrySet().stream()
        .limit(FEW)
        .forEach(e -> lines.add(some(e.getValue()) + ": peer " + peer(e.getKey()) + " has closed"));
    events.stream().limit(FEW).forEach(lines::add);
    if (deviceLost && stallClass == StallClass.UNKNOWN) {
      stallClass = StallClass.DEVICE_OR_LINK;
    }
  }

  private static String waited(Map.Entry<Integer, CollectiveTimeout> entry) {
    var timeout = entry.getValue();
    var group = timeout.group().description().isEmpty() ? "group " : "";
    var name =
        timeout.group().description().isEmpty()
            ? timeout.group().name()
            : timeout.group().description();
    return "%s waited %d s in %s, number %d%s"
        .formatted(
            entry.getKey() < 0 ? "a rank" : "rank " + entry.getKey(),
            timeout.ranMillis() / 1000,
            timeout.operation(),
            timeout.sequence(),
            name.isEmpty() ? "" : " of " + group + name);
  }

  /** One peer that most cannot reach is suspected; where all are on one adapter, its rail is. */
  private void links() {
    int all = reporters.size();
    var suspects =
        unanswered.entrySet().stream()
            .filter(e -> e.getValue().size() >= 2 && 2 * e.getValue().size() > all)
            .toList();
    if (!suspects.isEmpty()) {
      stallClass = StallClass.DEVICE_OR_LINK;
      suspects.forEach(e -> unreached.addAll(ranks.getOrDefault(e.getKey(), new TreeSet<>())));
      suspects.forEach(
          e ->
              lines.add(
                  "%s: no answer from %s (IB status 12): that host or its link"
                      .formatted(some(e.getValue()), peer(e.getKey()))));
      return;
    }
    if (all >= FEW && adapters.size() == 1 && !adapters.contains("")) {
      stallClass = StallClass.NETWORK;
      lines.add(
          "%d hosts get no answer from %d peers (IB status 12), all on %s: a rail or its switch"
              .formatted(all, unanswered.size(), adapters.iterator().next()));
      return;
    }
    unanswered.entrySet().stream()
        .limit(FEW)
        .forEach(
            e ->
                lines.add(
                    "%s: no answer from %s (IB status 12)"
                        .formatted(some(e.getValue()), peer(e.getKey()))));
  }

  private static String some(NavigableSet<String> names) {
    var shown = String.join(", ", names.stream().limit(FEW).toList());
    return names.size() > FEW ? shown + " and " + (names.size() - FEW) + " more" : shown;
  }
}
