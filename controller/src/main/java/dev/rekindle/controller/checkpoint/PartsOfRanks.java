package dev.rekindle.controller.checkpoint;

import dev.rekindle.controller.model.Inspection.Checkpoint;
import dev.rekindle.controller.model.Inspection.Report;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.nvrx.NvrxLocalFormat;
import dev.rekindle.detect.checkpoint.nvrx.NvrxLocalFormat.Part;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Checkpoints of which each node has the parts of some ranks, and maybe copies of others' parts:
 * local ones of NVIDIA's resiliency extension. Its loader fetches a part from whichever node has
 * it, so one is complete where the nodes together have a complete part of every rank. Pure.
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
    boolean whole() {
      return NvrxLocalFormat.isWhole(file.candidate().verdict(), file.level());
    }
  }

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
    return byName.entrySet().stream()
        .map(e -> judge(e.getKey(), e.getValue(), ranks(e, parts, scans.size(), away, gpus), away))
        .toList();
  }

  private static Optional<Located> located(String node, Checkpoint file) {
    Optional<Part> part = NvrxLocalFormat.part(file.path());
    return part.map(p -> new Located(node, p.session(), p.rank(), file));
  }

  /**
   * How many ranks there are. Without GPUs to count, the ranks that were ever seen are all of them
   * only if each node of the gang was inspected and has a part of this iteration.
   */
  private static OptionalLong ranks(
      Map.Entry<Name, List<Located>> of,
      List<Located> all,
      int nodes,
      List<String> away,
      long gpus) {
    long seen =
        all.stream()
                .filter(p -> p.session().equals(of.getKey().session()))
                .mapToLong(Located::rank)
                .max()
                .orElse(-1)
            + 1;
    if (gpus > 0) {
      return gpus < seen ? OptionalLong.empty() : OptionalLong.of(gpus);
    }
    boolean everywhere = of.getValue().stream().map(Located::node).distinct().count() == nodes;
    return away.isEmpty() && everywhere ? OptionalLong.of(seen) : OptionalLong.empty();
  }

  private static Checkpoint judge(
      Name name, List<Located> parts, OptionalLong ranks, List<String> away) {
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
      whole.forEach(p -> times.put(p.node() + " (rank " + p.rank() + ")", p.file()));
      return NodeScans.apart(times)
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
