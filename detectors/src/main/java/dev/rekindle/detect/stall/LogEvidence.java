package dev.rekindle.detect.stall;

import dev.rekindle.detect.ncclog.LogFact.CollectiveTimeout;
import dev.rekindle.detect.ncclog.LogFact.DumpSignal;
import dev.rekindle.detect.ncclog.LogFact.IbAsyncEvent;
import dev.rekindle.detect.ncclog.LogFact.IbCompletion;
import dev.rekindle.detect.ncclog.LogFact.PeerClosed;
import dev.rekindle.detect.ncclog.LogFact.RecorderOff;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** What lines show besides the ranks that they name: who timed out, and what links say. */
final class LogEvidence {
  private static final int FEW = 3;

  private final List<String> lines = new ArrayList<>();
  private final NavigableMap<Integer, CollectiveTimeout> timeouts = new TreeMap<>();
  private final NavigableSet<Long> first = new TreeSet<>();
  private boolean recorderOff;

  private final LinkEvidence links;
  private final NavigableMap<String, NavigableSet<String>> closed = new TreeMap<>();
  private final NavigableSet<String> events = new TreeSet<>();
  private boolean deviceLost;
  private StallClass stallClass = StallClass.UNKNOWN;

  private LogEvidence(Map<String, NavigableSet<Integer>> ranks) {
    links = new LinkEvidence(ranks);
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
    return links.unreached();
  }

  private void take(LoggedFact logged) {
    switch (logged.fact()) {
      case CollectiveTimeout timeout -> timeouts.putIfAbsent(logged.rank(), timeout);
      case DumpSignal signal when signal.from() >= 0 -> first.add(signal.from());
      case RecorderOff _ -> recorderOff = true;
      case IbCompletion completion ->
          links.take(by(logged, completion.reporter()), completion).ifPresent(events::add);
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
    stallClass = links.write(lines);
    closed.entrySet().stream()
        .limit(FEW)
        .forEach(
            e ->
                lines.add(
                    LinkEvidence.some(e.getValue())
                        + ": peer "
                        + links.peer(e.getKey())
                        + " has closed"));
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
}
