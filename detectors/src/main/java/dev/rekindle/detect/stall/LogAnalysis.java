package dev.rekindle.detect.stall;

import dev.rekindle.detect.ncclog.LogFact;
import dev.rekindle.detect.ncclog.LogFact.CollectiveMismatch;
import dev.rekindle.detect.ncclog.LogFact.CollectiveTimeout;
import dev.rekindle.detect.ncclog.LogFact.DeviceError;
import dev.rekindle.detect.ncclog.LogFact.DumpSignal;
import dev.rekindle.detect.ncclog.LogFact.GilStuck;
import dev.rekindle.detect.ncclog.LogFact.PeersFailed;
import dev.rekindle.detect.ncclog.LogFact.RemoteError;
import dev.rekindle.detect.ncclog.LogFact.WatchdogStuck;
import dev.rekindle.detect.ncclog.LogFact.WorkCounters;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Names the ranks that hold up a job, from what its ranks have logged.
 *
 * <p>The first of these that names a rank counts:
 *
 * <ol>
 *   <li>A mismatch of collectives is the program's fault.
 *   <li>Ranks that did not come to a monitored barrier; those with an error of their device that is
 *       not after a time-out; one that propagated an error, where no rank timed out.
 *   <li>A rank whose own watchdog or GIL is stuck, if that was before any rank timed out:
 *       afterwards it is what follows.
 *   <li>Ranks that are behind by the counters that ranks logged ({@link StallAnalysis}).
 *   <li>Ranks at an address from which two hosts or more get no answer over InfiniBand.
 *   <li>The only rank that did not time out.
 * </ol>
 *
 * <p>The rank that timed out first waited for others: it is a victim. Logs alone are never sure.
 */
public final class LogAnalysis {
  private static final String SILENT = "all other ranks timed out, and it did not";

  private final List<LoggedFact> facts;
  private final Set<Integer> logs;
  private final int worldSize;
  private final int world;
  private final List<LogOrder> timeouts;
  private final LogEvidence evidence;
  private final Set<Integer> waiting;

  private LogAnalysis(
      List<LoggedFact> facts,
      Set<Integer> logs,
      int worldSize,
      Map<String, NavigableSet<Integer>> addresses,
      Set<Integer> waiting) {
    this.facts = facts;
    this.logs = logs;
    this.worldSize = worldSize;
    this.waiting = waiting;
    world = worldSize > 0 ? worldSize : logs.size();
    timeouts = List.copyOf(first(fact -> isTimeout(fact.fact())).values());
    evidence = LogEvidence.of(facts, addresses);
  }

  /**
   * Analyses the logs of one job.
   *
   * @param facts what was logged; those of one rank and log in their order
   * @param logs ranks whose logs are there, also where they hold no fact
   * @param worldSize ranks of the job; 0 when it is not known
   */
  public static StallReport of(
      Collection<LoggedFact> facts, Collection<Integer> logs, int worldSize) {
    return of(facts, logs, worldSize, Map.of(), Set.of());
  }

  /**
   * The same, where it is known which ranks are at which address, and what dumps show.
   *
   * @param addresses ranks by an address of theirs
   * @param waiting ranks that wait for others by their dumps. The counters that ranks log are those
   *     of collectives: one that waits in a receive is behind by them
   */
  static StallReport of(
      Collection<LoggedFact> facts,
      Collection<Integer> logs,
      int worldSize,
      Map<String, NavigableSet<Integer>> addresses,
      Set<Integer> waiting) {
    Set<Integer> known = new TreeSet<>(logs);
    facts.stream().map(LoggedFact::rank).filter(rank -> rank >= 0).forEach(known::add);
    List<LoggedFact> ofJob =
        facts.stream().filter(f -> worldSize == 0 || f.rank() < worldSize).toList();
    return new LogAnalysis(ofJob, known, worldSize, addresses, waiting).report();
  }

  private StallReport report() {
    return mismatch()
        .or(this::barrier)
        .or(this::deviceErrors)
        .or(this::remoteErrors)
        .or(this::stuck)
        .or(this::behind)
        .or(this::unreached)
        .or(this::silent)
        .orElseGet(
            () ->
                new StallReport(
                    List.of(), evidence.stallClass(), Confidence.LOW, evidence.lines()));
  }

  private boolean isOfJob(long rank) {
    return rank >= 0 && (worldSize == 0 || rank < worldSize);
  }

  private static boolean isTimeout(LogFact fact) {
    return fact instanceof CollectiveTimeout
        || fact instanceof WorkCounters
        || fact instanceof DumpSignal;
  }

  /** Where each rank and log first has a line of some kind. */
  private Map<List<Integer>, LogOrder> first(Predicate<LoggedFact> kind) {
    Map<List<Integer>, LogOrder> first = new HashMap<>();
    facts.stream()
        .filter(kind)
        .forEach(
            fact -> first.putIfAbsent(List.of(fact.order().source(), fact.rank()), fact.order()));
    return first;
  }

  private Optional<StallReport> mismatch() {
    NavigableMap<Integer, String> calls = new TreeMap<>();
    for (var fact : facts) {
      if (fact.fact() instanceof CollectiveMismatch m) {
        Stream.of(Map.entry(m.first(), m.firstCall()), Map.entry(m.second(), m.secondCall()))
            .filter(call -> isOfJob(call.getKey()))
            .forEach(call -> calls.putIfAbsent(call.getKey().intValue(), call.getValue()));
      }
    }
    if (calls.isEmpty()) {
      return Optional.empty();
    }
    NavigableMap<String, NavigableSet<Integer>> ranks = new TreeMap<>();
    calls.forEach((rank, call) -> ranks.computeIfAbsent(call, _ -> new TreeSet<>()).add(rank));
    ranks.forEach(
        (call, by) -> evidence.add(StallAnalysis.ranks(by) + (is(by) + "running " + call)));
    int most = ranks.values().stream().mapToInt(Set::size).max().orElse(0);
    List<Culprit> culprits = new ArrayList<>();
    if (2 * most > calls.size()) {
      ranks.forEach(
          (call, by) -> {
            if (by.size() < most) {
              by.forEach(
                  rank -> culprits.add(new Culprit(rank, "runs " + call + ", other ranks do not")));
            }
          });
    }
    culprits.sort(Comparator.comparingInt(Culprit::rank));
    return Optional.of(
        new StallReport(
            culprits,
            StallClass.PROGRAM,
            culprits.isEmpty() ? Confidence.LOW : Confidence.MEDIUM,
            evidence.lines()));
  }

  private static String is(Set<Integer> ranks) {
    return ranks.size() == 1 ? " is " : " are ";
  }

  private Optional<StallReport> barrier() {
    NavigableSet<Integer> ranks = new TreeSet<>();
    for (var fact : facts) {
      if (fact.fact() instanceof PeersFailed failed) {
        failed.ranks().stream().filter(this::isOfJob).forEach(ranks::add);
      }
    }
    return named(
        ranks, "did not come to a monitored barrier", StallClass.HOST, Confidence.MEDIUM, 2);
  }

  private Optional<StallReport> deviceErrors() {
    NavigableMap<Integer, LoggedFact> errors = new TreeMap<>();
    for (var fact : facts) {
      if (fact.fact() instanceof DeviceError && fact.rank() >= 0) {
        errors.putIfAbsent(fact.rank(), fact);
      }
    }
    // What follows a time-out follows from it: contexts are torn down with work under way.
    errors.values().removeIf(e -> timeouts.stream().anyMatch(t -> t.isBefore(e.order())));
    var orders = errors.values().stream().map(LoggedFact::order).toList();
    errors.values().removeIf(e -> orders.stream().anyMatch(o -> o.isBefore(e.order())));
    if (errors.isEmpty()) {
      return Optional.empty();
    }
    errors
        .values()
        .forEach(
            e ->
                evidence.add(
                    "rank %d: CUDA error: %s"
                        .formatted(e.rank(), ((DeviceError) e.fact()).error())));
    boolean memory =
        errors.values().stream()
            .allMatch(
                e ->
                    ((DeviceError) e.fact())
                        .error()
                        .toLowerCase(Locale.ROOT)
                        .contains("out of memory"));
    return named(
        errors.navigableKeySet(),
        "logged an error of its device, and no rank timed out before",
        memory ? StallClass.HOST : StallClass.DEVICE_OR_LINK,
        confidence(),
        4);
  }

  /** The rank is the first that saw an error, and so a victim where ranks time out. */
  private Optional<StallReport> remoteErrors() {
    NavigableSet<Integer> ranks = new TreeSet<>();
    for (var fact : facts) {
      if (fact.fact() instanceof RemoteError error
          && timeouts.isEmpty()
          && error.group().isDefault()
          && error.from() < Math.max(world, 1)) {
        ranks.add((int) error.from());
      }
    }
    return named(ranks, "was the first to report an error", StallClass.UNKNOWN, Confidence.LOW, 4);
  }

  private Optional<StallReport> stuck() {
    NavigableSet<Integer> ranks = new TreeSet<>();
    boolean later = false;
    for (var fact : facts) {
      if (fact.rank() < 0
          || !(fact.fact() instanceof WatchdogStuck || fact.fact() instanceof GilStuck)) {
        continue;
      }
      if (timeouts.stream().allMatch(timeout -> fact.order().isBefore(timeout))) {
        ranks.add(fact.rank());
      } else {
        later = true;
      }
    }
    if (later) {
      evidence.add("a watchdog or GIL that is stuck is not known to have been before a time-out");
    }
    return named(
        ranks,
        "its own watchdog or GIL is stuck, and no rank had timed out",
        StallClass.HOST,
        confidence(),
        2);
  }

  private Optional<StallReport> behind() {
    var counters = LoggedCounters.of(facts, worldSize);
    if (counters.size() < 2) {
      return Optional.empty();
    }
    var report = StallAnalysis.ofCounters(counters, worldSize);
    if (report.culprits().isEmpty() && report.stallClass() != StallClass.NETWORK) {
      return Optional.empty();
    }
    report.evidence().forEach(evidence::add);
    if (report.culprits().isEmpty() || report.culprits().stream().anyMatch(this::waits)) {
      return Optional.empty();
    }
    boolean all = counters.size() == worldSize;
    return Optional.of(
        new StallReport(
            report.culprits(),
            report.stallClass(),
            all ? Confidence.MEDIUM : Confidence.LOW,
            evidence.lines()));
  }

  private boolean waits(Culprit culprit) {
    if (!waiting.contains(culprit.rank())) {
      return false;
    }
    evidence.add("the dump of rank %d shows that it waits for others".formatted(culprit.rank()));
    return true;
  }

  /** What does not answer may be the host, its adapter or the way to it. */
  private Optional<StallReport> unreached() {
    return named(
        evidence.unreached(),
        "hosts get no answer from its address (IB status 12)",
        StallClass.DEVICE_OR_LINK,
        Confidence.LOW,
        4);
  }

  private Optional<StallReport> silent() {
    NavigableSet<Integer> timedOut = new TreeSet<>();
    for (var fact : facts) {
      var group =
          switch (fact.fact()) {
            case CollectiveTimeout timeout -> timeout.group();
            case WorkCounters work -> work.group();
            default -> null;
          };
      if (group != null && LoggedCounters.isAll(fact.rank(), group)) {
        timedOut.add(fact.rank());
      }
    }
    if (worldSize < 3 || timedOut.size() != worldSize - 1) {
      return Optional.empty();
    }
    NavigableSet<Integer> silent = new TreeSet<>(IntStream.range(0, worldSize).boxed().toList());
    silent.removeAll(timedOut);
    if (waiting.containsAll(silent)) {
      return Optional.empty();
    }
    return named(silent, SILENT, StallClass.HOST, Confidence.LOW, 2);
  }

  /** Whether ranks are named for nothing but a line that they lack. */
  static boolean isOfSilence(StallReport logs) {
    return logs.culprits().stream().allMatch(culprit -> culprit.reason().equals(SILENT));
  }

  /** Empty where it would be more than one of so many. */
  private Optional<StallReport> named(
      NavigableSet<Integer> ranks,
      String reason,
      StallClass stallClass,
      Confidence confidence,
      int of) {
    if (ranks.isEmpty()) {
      return Optional.empty();
    }
    if (ranks.size() > Math.max(1, world / of)) {
      evidence.add(StallAnalysis.ranks(ranks) + ": " + reason + ": too many to be named");
      return Optional.empty();
    }
    return Optional.of(
        new StallReport(
            ranks.stream().map(rank -> new Culprit(rank, reason)).toList(),
            stallClass,
            confidence,
            evidence.lines()));
  }

  /** Another rank may have logged the same earlier, where not all logs are there. */
  private Confidence confidence() {
    return worldSize > 0 && logs.size() >= worldSize ? Confidence.MEDIUM : Confidence.LOW;
  }
}
