package dev.rekindle.controller.checkpoint;

import dev.rekindle.controller.model.Inspection.Checkpoint;
import dev.rekindle.controller.model.Inspection.Report;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.nvrx.NvrxLocalFormat;
import dev.rekindle.detect.checkpoint.nvrx.NvrxLocalFormat.Part;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Checkpoints of which each node has the parts of some ranks, and maybe copies of others' parts:
 * local ones of NVIDIA's resiliency extension. Its loader fetches a part from another node of the
 * gang, so one is complete where the nodes together have a complete part of every rank. A job that
 * has begun anew leaves alone what is of a later step, and that is older than what it writes. Pure.
 */
final class PartsOfRanks {
  private PartsOfRanks() {}

  /**
   * One part, on one node.
   *
   * @param node where it is
   * @param session folder of its session
   * @param rank whose it is
   * @param file the file, as its scan has judged it
   */
  private record Located(String node, String session, int rank, Checkpoint file) {
    Place place() {
      return new Place(node, session);
    }

    boolean whole() {
      return NvrxLocalFormat.isWhole(file.candidate().verdict(), file.level());
    }
  }

  /** A session on a node. */
  private record Place(String node, String session) {}

  /** Of one session, one iteration. */
  private record Name(String session, long step) {}

  static boolean isPart(Checkpoint checkpoint) {
    return checkpoint.format().equals(NvrxLocalFormat.NAME);
  }

  /** The checkpoints that the parts on all scanned nodes make. */
  static List<Checkpoint> merge(SortedMap<String, Report> scans, List<String> away, long gpus) {
    List<Located> parts = new ArrayList<>();
    scans.forEach(
        (node, report) ->
            report.checkpoints().stream()
                .filter(PartsOfRanks::isPart)
                .forEach(file -> located(node, file).ifPresent(parts::add)));
    Map<Name, List<Located>> byName =
        parts.stream().collect(Collectors.groupingBy(p -> new Name(p.session(), p.file().step())));
    Map<Place, NavigableMap<Long, Instant>> written = written(parts);
    return byName.entrySet().stream()
        .map(
            e -> {
              OptionalLong ranks = ranks(e, parts, scans.size(), away, gpus);
              return judge(e.getKey(), e.getValue(), ranks, away, written);
            })
        .toList();
  }

  /** When each node has written a part of each step last. */
  private static Map<Place, NavigableMap<Long, Instant>> written(List<Located> parts) {
    Map<Place, NavigableMap<Long, Instant>> written = new HashMap<>();
    for (Located part : parts) {
      Instant time = part.file().modified();
      if (time != null) {
        written
            .computeIfAbsent(part.place(), _ -> new TreeMap<>())
            .merge(part.file().step(), time, (a, b) -> a.isAfter(b) ? a : b);
      }
    }
    return written;
  }

  /** A job that went back, or began anew, has written a lower step, and this one not yet. */
  private static Optional<String> stale(
      List<Located> whole, Map<Place, NavigableMap<Long, Instant>> written) {
    return whole.stream()
        .flatMap(
            part ->
                written
                    .getOrDefault(part.place(), Collections.emptyNavigableMap())
                    .headMap(part.file().step(), false)
                    .entrySet()
                    .stream()
                    .filter(lower -> lower.getValue().isAfter(part.file().modified()))
                    .map(lower -> NodeScans.stale(part.node(), lower.getKey())))
        .findFirst();
  }

  private static Optional<Located> located(String node, Checkpoint file) {
    Optional<Part> part = NvrxLocalFormat.part(file.path());
    return part.map(p -> new Located(node, p.session(), p.rank(), file));
  }

  /**
   * How many ranks there are. Without GPUs to count, the ranks that were ever seen are all of them
   * only if each node of the gang was inspected and has a part of this iteration. What a larger
   * gang has left of other iterations says nothing of this one.
   */
  private static OptionalLong ranks(
      Map.Entry<Name, List<Located>> of,
      List<Located> all,
      int nodes,
      List<String> away,
      long gpus) {
    if (gpus > 0) {
      return gpus < seen(of.getValue().stream()) ? OptionalLong.empty() : OptionalLong.of(gpus);
    }
    String session = of.getKey().session();
    long seen = seen(all.stream().filter(p -> p.session().equals(session)));
    boolean everywhere = of.getValue().stream().map(Located::node).distinct().count() == nodes;
    return away.isEmpty() && everywhere ? OptionalLong.of(seen) : OptionalLong.empty();
  }

  private static long seen(Stream<Located> parts) {
    return parts.mapToLong(Located::rank).max().orElse(-1) + 1;
  }

  private static Checkpoint judge(
      Name name,
      List<Located> parts,
      OptionalLong ranks,
      List<String> away,
      Map<Place, NavigableMap<Long, Instant>> written) {
    List<Located> whole = parts.stream().filter(Located::whole).toList();
    long bytes = whole.stream().mapToLong(p -> p.file().bytes()).sum();
    Instant newest =
        parts.stream()
            .map(p -> p.file().modified())
            .filter(Objects::nonNull)
            .max(Comparator.naturalOrder())
            .orElse(null);
    Checkpoint blank =
        new Checkpoint(
            name.session(),
            name.step(),
            bytes,
            newest,
            Verdict.Kind.UNKNOWN.word(),
            Level.L2.name(),
            "",
            NvrxLocalFormat.NAME,
            0);
    if (ranks.isEmpty()) {
      return NodeScans.unknown(blank, "it is not known how many ranks there are");
    }
    Set<Integer> have = whole.stream().map(Located::rank).collect(Collectors.toSet());
    List<Integer> missing = new ArrayList<>();
    for (int rank = 0; rank < ranks.getAsLong() && missing.size() < 4; rank++) {
      if (!have.contains(rank)) {
        missing.add(rank);
      }
    }
    if (missing.isEmpty()) {
      SortedMap<String, Checkpoint> times = new TreeMap<>();
      // By file: a node may have a part twice, in the folders of two ranks.
      whole.forEach(p -> times.put("%s (%s)".formatted(p.node(), p.file().path()), p.file()));
      return NodeScans.apart(times)
          .or(() -> stale(whole, written))
          .map(why -> NodeScans.unknown(blank, why))
          .orElseGet(() -> NodeScans.judged(blank, Verdict.Kind.VALID, Level.L3.name(), ""));
    }
    Optional<Located> torn =
        parts.stream()
            .filter(p -> missing.contains(p.rank()) && NodeScans.is(p.file(), Verdict.Kind.TORN))
            .findFirst();
    if (torn.isPresent() && away.isEmpty()) {
      Located part = torn.get();
      return NodeScans.judged(
          blank,
          Verdict.Kind.TORN,
          part.file().level(),
          "rank %d on node %s: %s".formatted(part.rank(), part.node(), part.file().reason()));
    }
    return NodeScans.unknown(
        blank,
        "no whole part of rank %s on any inspected node"
            .formatted(missing.stream().map(String::valueOf).collect(Collectors.joining(", "))));
  }
}
