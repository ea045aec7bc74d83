package dev.rekindle.controller.checkpoint;

import dev.rekindle.controller.model.Inspection.Checkpoint;
import dev.rekindle.controller.model.Inspection.Report;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What scans on several nodes say together of a directory that is a path of each node. Three cases
 * are distinguished by what is found: the same files on all nodes, to the nanosecond, are a file
 * system that they share; a complete checkpoint on each of them is a copy on each; parts of ranks
 * make a checkpoint where all ranks have one. Anything else is Unknown, with the node that it is
 * for. Pure.
 *
 * <p>Guarantee: a checkpoint is Valid only if every scanned node has it complete and of one save,
 * or if every rank has a whole part of one save on some node that was scanned.
 */
public final class NodeScans {
  /**
   * Ranks may end one save so far apart, and the clocks of their nodes differ; two saves of one
   * step have a restart between them.
   */
  static final Duration APART = Duration.ofMinutes(1);

  private final SortedMap<String, Report> scans;
  private final List<String> away;

  private NodeScans(SortedMap<String, Report> scans, List<String> away) {
    this.scans = scans;
    this.away = away;
  }

  /**
   * One report of them all.
   *
   * @param number its number as a scan
   * @param scans node to the newest report from there; at least one
   * @param away nodes of the gang that cannot be inspected
   * @param gpus GPUs of the gang, one for each rank; 0 where that is not known
   */
  public static Report merge(long number, Map<String, Report> scans, List<String> away, long gpus) {
    return new NodeScans(new TreeMap<>(scans), away.stream().sorted().toList())
        .report(number, gpus);
  }

  private Report report(long number, long gpus) {
    Optional<String> failed =
        scans.entrySet().stream()
            .filter(e -> !e.getValue().error().isEmpty())
            .findFirst()
            .map(e -> "on node %s: %s".formatted(e.getKey(), e.getValue().error()));
    if (failed.isPresent()) {
      return new Report(number, List.of(), failed.get());
    }
    boolean empty = scans.values().stream().allMatch(r -> r.checkpoints().isEmpty());
    if (empty && !away.isEmpty()) {
      return new Report(
          number,
          List.of(),
          "there is no checkpoint on %s, and %s is out of reach"
              .formatted(String.join(", ", scans.keySet()), String.join(", ", away)),
          List.of(),
          away,
          List.of());
    }
    boolean shared = isShared();
    List<Checkpoint> all = new ArrayList<>(copies(shared));
    all.addAll(PartsOfRanks.merge(scans, away, gpus));
    all.sort(Comparator.comparingLong(Checkpoint::step).reversed());
    return shared
        ? new Report(number, all, "")
        : new Report(number, all, "", List.copyOf(scans.keySet()), away, withNewest());
  }

  /** The nodes that have the newest complete copy; none where parts of ranks are kept. */
  private List<String> withNewest() {
    SortedMap<String, Long> byNode = new TreeMap<>();
    scans.forEach(
        (node, report) ->
            report.checkpoints().stream()
                .filter(c -> !PartsOfRanks.isPart(c) && is(c, Verdict.Kind.VALID))
                .mapToLong(Checkpoint::step)
                .max()
                .ifPresent(step -> byNode.put(node, step)));
    long newest = byNode.values().stream().mapToLong(Long::longValue).max().orElse(0);
    byNode.values().removeIf(step -> step < newest);
    return List.copyOf(byNode.keySet());
  }

  /** Two disks do not write the same files at the same nanoseconds. */
  private boolean isShared() {
    List<Checkpoint> first = scans.firstEntry().getValue().checkpoints();
    return scans.size() > 1
        && scans.values().stream().allMatch(r -> r.checkpoints().equals(first))
        && first.stream().map(Checkpoint::modified).anyMatch(NodeScans::isExact);
  }

  private static boolean isExact(@Nullable Instant time) {
    return time != null && !time.equals(time.truncatedTo(ChronoUnit.SECONDS));
  }

  private List<Checkpoint> copies(boolean shared) {
    if (shared) {
      return scans.firstEntry().getValue().checkpoints().stream()
          .filter(c -> !PartsOfRanks.isPart(c))
          .toList();
    }
    Map<String, SortedMap<String, Checkpoint>> byPath = new LinkedHashMap<>();
    scans.forEach(
        (node, report) ->
            report.checkpoints().stream()
                .filter(c -> !PartsOfRanks.isPart(c))
                .forEach(c -> byPath.computeIfAbsent(c.path(), _ -> new TreeMap<>()).put(node, c)));
    return byPath.values().stream().map(this::copy).toList();
  }

  private Checkpoint copy(SortedMap<String, Checkpoint> byNode) {
    Checkpoint one = byNode.firstEntry().getValue();
    Optional<Checkpoint> torn =
        byNode.entrySet().stream()
            .filter(e -> is(e.getValue(), Verdict.Kind.TORN))
            .findFirst()
            .map(e -> judged(one, Verdict.Kind.TORN, e.getValue().level(), on(e)));
    return torn.or(() -> doubt(byNode).map(why -> unknown(one, why)))
        .orElseGet(() -> whole(byNode));
  }

  private Optional<String> doubt(SortedMap<String, Checkpoint> byNode) {
    Checkpoint one = byNode.firstEntry().getValue();
    Optional<String> unjudged =
        byNode.entrySet().stream()
            .filter(e -> !is(e.getValue(), Verdict.Kind.VALID))
            .findFirst()
            .map(NodeScans::on);
    if (unjudged.isPresent()) {
      return unjudged;
    }
    if (!away.isEmpty()) {
      return Optional.of(
          "each node has files of its own, and those of node %s are out of reach"
              .formatted(String.join(", ", away)));
    }
    if (byNode.size() < scans.size()) {
      return Optional.of(
          "only %d of %d nodes have it: %s"
              .formatted(byNode.size(), scans.size(), String.join(", ", byNode.keySet())));
    }
    if (byNode.values().stream()
        .anyMatch(c -> c.step() != one.step() || !c.format().equals(one.format()))) {
      return Optional.of("nodes have different checkpoints under its name");
    }
    return apart(byNode).or(() -> stale(byNode));
  }

  /** Why copies are not of one save, by when they were written. */
  static Optional<String> apart(Map<String, Checkpoint> byNode) {
    String early = "";
    String late = "";
    Instant first = Instant.MAX;
    Instant last = Instant.MIN;
    for (var entry : new TreeMap<>(byNode).entrySet()) {
      Instant time = entry.getValue().modified();
      if (time == null) {
        return Optional.of("node " + entry.getKey() + " does not say when it was written");
      }
      if (time.isBefore(first)) {
        first = time;
        early = entry.getKey();
      }
      if (time.isAfter(last)) {
        last = time;
        late = entry.getKey();
      }
    }
    Duration apart = byNode.isEmpty() ? Duration.ZERO : Duration.between(first, last);
    return apart.compareTo(APART) > 0
        ? Optional.of(
            "%s wrote it %d s before %s: these may be two saves"
                .formatted(early, apart.toSeconds(), late))
        : Optional.empty();
  }

  /** A job that went back has written a lower step again, and this one not yet. */
  private Optional<String> stale(SortedMap<String, Checkpoint> byNode) {
    return byNode.entrySet().stream()
        .flatMap(
            e ->
                Objects.requireNonNull(scans.get(e.getKey())).checkpoints().stream()
                    .filter(other -> isStale(e.getValue(), other))
                    .map(other -> stale(e.getKey(), other.step())))
        .findFirst();
  }

  static String stale(String node, long lower) {
    return "node %s wrote step %d after it: it may be of an earlier course".formatted(node, lower);
  }

  private static boolean isStale(Checkpoint one, Checkpoint other) {
    return other.step() < one.step()
        && other.modified() != null
        && one.modified() != null
        && other.modified().isAfter(one.modified());
  }

  private static Checkpoint whole(SortedMap<String, Checkpoint> byNode) {
    Checkpoint newest =
        byNode.values().stream()
            .max(Comparator.comparing(c -> c.modified() == null ? Instant.MIN : c.modified()))
            .orElseThrow();
    String level =
        byNode.values().stream().map(Checkpoint::level).min(Comparator.naturalOrder()).orElse("");
    return judged(newest, Verdict.Kind.VALID, level, "");
  }

  private static String on(Map.Entry<String, Checkpoint> entry) {
    return "on node %s: %s".formatted(entry.getKey(), entry.getValue().reason());
  }

  static boolean is(Checkpoint checkpoint, Verdict.Kind kind) {
    return checkpoint.candidate().verdict() == kind;
  }

  static Checkpoint unknown(Checkpoint of, String why) {
    return judged(of, Verdict.Kind.UNKNOWN, Level.L2.name(), why);
  }

  static Checkpoint judged(Checkpoint of, Verdict.Kind kind, String level, String reason) {
    return new Checkpoint(
        of.path(),
        of.step(),
        of.bytes(),
        of.modified(),
        kind.word(),
        level,
        reason,
        of.format(),
        of.ranks());
  }
}
