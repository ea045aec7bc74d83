package dev.rekindle.detect.stall;

import dev.rekindle.api.RankCalls;
import dev.rekindle.api.RankEvidence;
import dev.rekindle.detect.flightrecorder.Collective;
import dev.rekindle.detect.flightrecorder.Dump;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * As much of a dump as the analysis needs, in a form that fits into an object of the API.
 *
 * <p>Of each group the numbers, the first pending collectives, and the last that are over, as ranks
 * that are ahead have completed what others wait in. The first sends and receives that are pending,
 * as many as are compared ({@link PeerWaits#MOST_PENDING}), and one that is over: it shows that the
 * group has such. What is pending has its place in the order in which the host enqueued it, and the
 * first of it is always kept: there stands the device.
 */
public final class DumpSummary {
  private static final int PENDING = 4;
  private static final int OVER = 8;

  /** The kernel gives files the time of its last tick. */
  private static final long COARSE_MILLIS = 20;

  private DumpSummary() {}

  /**
   * The groups of a dump.
   *
   * @param whole the dump
   * @param written when it was written, by the clock of its node
   * @return empty where it has more groups or operations than an object can hold
   */
  public static Optional<List<RankEvidence.Group>> of(Dump whole, Instant written) {
    var dump = whole.writtenAt(TimeUnit.MILLISECONDS.toNanos(written.toEpochMilli()));
    List<RankEvidence.Group> groups = new ArrayList<>();
    int operations = 0;
    var first = PendingOrder.first(dump);
    var order = first.isEmpty() ? Map.<Long, Integer>of() : order(dump);
    var inOrder =
        dump.groups().entrySet().stream()
            .sorted(Comparator.comparing(e -> e.getKey().name() + "/" + e.getKey().description()))
            .toList();
    for (var entry : inOrder) {
      var group = entry.getKey();
      var progress = entry.getValue();
      var kept = kept(progress.operations());
      first
          .filter(f -> f.group().equals(group) && !kept.contains(f.operation()))
          .ifPresent(f -> kept.add(f.operation()));
      operations += kept.size();
      var ranks = RankRuns.write(group.ranks());
      groups.add(
          new RankEvidence.Group(
              group.name(),
              group.description(),
              ranks.length() > RankEvidence.RANKS ? "" : ranks,
              progress.enqueued(),
              progress.completed(),
              progress.inferred(),
              kept.stream().map(operation -> operation(operation, order)).toList(),
              idleMillis(progress.operations(), written)));
    }
    return groups.size() > RankEvidence.MOST_GROUPS || operations > RankEvidence.MOST_OPERATIONS
        ? Optional.empty()
        : Optional.of(groups);
  }

  /** How its calls follow each other; null where they do not repeat. */
  public static @Nullable RankCalls calls(Dump dump) {
    var pattern = dump.pattern();
    if (!pattern.known()) {
      return null;
    }
    var left = pattern.departure();
    return left == null
        ? new RankCalls(pattern.period(), 0, "", 0, "", "")
        : new RankCalls(
            pattern.period(),
            pattern.since(),
            left.group(),
            left.sequence(),
            left.called(),
            left.usual());
  }

  /** Null where no operation has a time, or one is later than the dump: a clock was set. */
  private static @Nullable Long idleMillis(List<Collective> operations, Instant written) {
    long moved = operations.stream().mapToLong(Collective::moved).max().orElse(0);
    long idle = written.toEpochMilli() - TimeUnit.NANOSECONDS.toMillis(moved);
    return moved <= 0 || idle < -COARSE_MILLIS ? null : Long.valueOf(Math.max(0, idle));
  }

  private static List<Collective> kept(List<Collective> all) {
    List<Collective> kept = new ArrayList<>();
    kept.addAll(newest(all, /* pointToPoint= */ false, OVER));
    kept.addAll(newest(all, /* pointToPoint= */ true, 1));
    pending(all, /* pointToPoint= */ false).limit(PENDING).forEach(kept::add);
    pending(all, /* pointToPoint= */ true).limit(PeerWaits.MOST_PENDING).forEach(kept::add);
    return kept;
  }

  private static List<Collective> newest(List<Collective> all, boolean pointToPoint, int most) {
    var over =
        all.stream()
            .filter(c -> c.pointToPoint() == pointToPoint && !c.pending())
            .sorted(Comparator.comparingLong(Collective::sequence))
            .toList();
    return over.subList(Math.max(0, over.size() - most), over.size());
  }

  private static Stream<Collective> pending(List<Collective> all, boolean pointToPoint) {
    return all.stream()
        .filter(c -> c.pointToPoint() == pointToPoint && c.pending())
        .sorted(Comparator.comparingLong(Collective::sequence));
  }

  /** Places of the times at which what is pending was enqueued. */
  private static Map<Long, Integer> order(Dump dump) {
    Map<Long, Integer> places = new HashMap<>();
    dump.groups().values().stream()
        .flatMap(progress -> progress.operations().stream())
        .filter(Collective::pending)
        .map(Collective::created)
        .distinct()
        .sorted()
        .forEach(time -> places.put(time, places.size() + 1));
    return places;
  }

  private static RankEvidence.Operation operation(Collective c, Map<Long, Integer> order) {
    return new RankEvidence.Operation(
        c.sequence(),
        c.operation(),
        c.shape(),
        c.pointToPoint(),
        c.pending(),
        c.pending() ? order.get(c.created()) : null,
        c.begun());
  }
}
