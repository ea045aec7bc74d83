package dev.rekindle.detect.stall;

import dev.rekindle.api.RankActivity;
import dev.rekindle.api.RankDevice;
import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.DumpState;
import dev.rekindle.api.RankEvidence.Frame;
import dev.rekindle.api.RankEvidence.ProcessState;
import dev.rekindle.detect.flightrecorder.Dump;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** Names the ranks that hold up a job, from what agents found on its nodes. */
public final class EvidenceAnalysis {
  /** A step is printed some time after what it was made of: ranks are ahead of each other. */
  private static final Duration BEFORE = Duration.ofSeconds(10);

  private EvidenceAnalysis() {}

  /**
   * Analyses what was found of the ranks of one job. A rank that two pods claim counts for neither.
   * That a rank wrote no dump is held against it only where it has a recorder that was asked.
   *
   * @param found what agents report
   * @param mostRanks more ranks than this the job cannot have, whatever its processes say
   * @param stepped when the newest step was made: lines from well before it are of something else
   */
  public static StallReport of(Collection<RankEvidence> found, int mostRanks, Instant stepped) {
    return of(found, mostRanks, stepped, true);
  }

  /**
   * The same, where nothing was heard of some ranks yet: nothing is held against those.
   *
   * @param found what agents report so far
   * @param mostRanks more ranks than this the job cannot have
   * @param stepped when the newest step was made
   */
  public static StallReport ofSome(Collection<RankEvidence> found, int mostRanks, Instant stepped) {
    return of(found, mostRanks, stepped, false);
  }

  /**
   * The same, where agents have left out ranks, as there are too many on a node: nothing is held
   * against those, and the report says so.
   *
   * @param found what agents report
   * @param mostRanks more ranks than this the job cannot have
   * @param stepped when the newest step was made
   * @param leftOut how many ranks were left out
   */
  public static StallReport ofShown(
      Collection<RankEvidence> found, int mostRanks, Instant stepped, int leftOut) {
    var report = ofSome(found, mostRanks, stepped);
    List<String> evidence = new ArrayList<>();
    evidence.add(
        "%d ranks are not shown: agents report at most %d of a node"
            .formatted(leftOut, RankEvidence.MOST_RANKS));
    evidence.addAll(report.evidence());
    return new StallReport(report.culprits(), report.stallClass(), report.confidence(), evidence)
        .suspecting(report.suspects());
  }

  private static StallReport of(
      Collection<RankEvidence> found, int mostRanks, Instant stepped, boolean complete) {
    var omitted = OmittedEvidence.of(found);
    var report = analysed(found, mostRanks, stepped, complete, omitted);
    return omitted.report(report).suspecting(report.suspects());
  }

  private static StallReport analysed(
      Collection<RankEvidence> found,
      int mostRanks,
      Instant stepped,
      boolean complete,
      OmittedEvidence omitted) {
    Map<Integer, List<RankEvidence>> byRank = new TreeMap<>();
    found.stream()
        .filter(rank -> rank.rank() < mostRanks)
        .forEach(rank -> byRank.computeIfAbsent(rank.rank(), _ -> new ArrayList<>()).add(rank));
    Set<Integer> unknown = new TreeSet<>();
    Set<Integer> stopped = new TreeSet<>();
    List<Dump> dumps = new ArrayList<>();
    List<LoggedFact> facts = new ArrayList<>();
    Map<Integer, RankActivity> activity = new TreeMap<>();
    Map<Integer, RankDevice> devices = new TreeMap<>();
    Map<Integer, List<Frame>> stacks = new TreeMap<>();
    int worldSize = 0;
    var reader = new SummaryReader(mostRanks);
    var moving = new MovingGroups();
    var moments = new Moments();
    for (var claims : byRank.values()) {
      var rank = claims.getFirst();
      if (claims.size() > 1) {
        unknown.add(rank.rank());
        continue;
      }
      facts.addAll(facts(rank, stepped));
      if (rank.activity() != null) {
        activity.put(rank.rank(), rank.activity());
      }
      if (rank.device() != null) {
        devices.put(rank.rank(), rank.device());
      }
      stacks.put(rank.rank(), rank.stack());
      worldSize = Math.max(worldSize, rank.worldSize() <= mostRanks ? rank.worldSize() : 0);
      if (rank.process() == ProcessState.STOPPED) {
        stopped.add(rank.rank());
      }
      if (rank.dump() == DumpState.READ) {
        var dump = reader.read(rank);
        dumps.add(dump);
        moving.add(rank, reader);
        moments.add(dump, reader.idle(rank));
      } else if (rank.dump() != DumpState.MISSING) {
        unknown.add(rank.rank());
      }
    }
    if (!complete) {
      IntStream.range(0, worldSize).filter(rank -> !byRank.containsKey(rank)).forEach(unknown::add);
    }
    if (stopped.isEmpty() && moving.haveAllThatWait(dumps)) {
      return new StallReport(List.of(), StallClass.UNKNOWN, Confidence.LOW, moving.evidence());
    }
    var standing = moving.without(dumps);
    var report = StallAnalysis.of(standing, unknown, stopped, worldSize, moments);
    if (!stopped.isEmpty()) {
      // That a process is stopped is seen, not said.
      return StackFusion.shown(report, stacks);
    }
    int known = complete ? worldSize : 0;
    var both = report;
    boolean named = !report.culprits().isEmpty();
    if (!facts.isEmpty() && !omitted.lines()) {
      // A rank that was not heard of may have logged anything.
      var logs =
          LogAnalysis.of(
              facts,
              byRank.keySet(),
              known,
              addresses(byRank.values()),
              WaitGraph.waiting(standing));
      both = WitnessFusion.of(Optional.of(report), Optional.of(logs), RasFinding.NONE);
      named = named || !logs.culprits().isEmpty();
    }
    var use = ActivityOutlier.of(activity, known);
    both = OutlierFusion.of(both, named || WaitGraph.anyWaits(use.ranks(), standing), use);
    var gpus = DeviceOutlier.of(devices, known);
    boolean waits = WaitGraph.anyWaits(gpus.ranks(), standing);
    both = DeviceFusion.of(both, named, waits, report.suspects(), gpus);
    var stack = StackOutlier.of(stacks, known).unlessWaiting(standing);
    return StackFusion.of(both, named, stack, stacks, standing).suspecting(report.suspects());
  }

  /** Ranks by address. One that two pods have says nothing: networks may use the same ones. */
  private static Map<String, NavigableSet<Integer>> addresses(
      Collection<List<RankEvidence>> byRank) {
    Map<String, NavigableSet<Integer>> ranks = new HashMap<>();
    Map<String, String> pods = new HashMap<>();
    Set<String> shared = new HashSet<>();
    for (var claims : byRank) {
      var rank = claims.getFirst();
      for (var address : rank.addresses()) {
        var pod = pods.putIfAbsent(address, rank.podUid());
        if (claims.size() > 1 || (pod != null && !pod.equals(rank.podUid()))) {
          shared.add(address);
        }
        ranks.computeIfAbsent(address, _ -> new TreeSet<>()).add(rank.rank());
      }
    }
    ranks.keySet().removeAll(shared);
    return ranks;
  }

  private static List<LoggedFact> facts(RankEvidence rank, Instant stepped) {
    List<LoggedFact> facts = new ArrayList<>();
    for (var line : rank.lines()) {
      var time = line.time();
      if (time != null && time.isBefore(stepped.minus(BEFORE))) {
        continue;
      }
      long millis = time == null ? -1 : time.toEpochMilli();
      var order = new LogOrder(rank.rank(), facts.size(), millis);
      LineRecord.read(line).ifPresent(fact -> facts.add(new LoggedFact(rank.rank(), order, fact)));
    }
    return facts;
  }
}
