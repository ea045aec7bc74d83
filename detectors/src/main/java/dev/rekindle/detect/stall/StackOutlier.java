package dev.rekindle.detect.stall;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toCollection;
import static java.util.stream.Collectors.toList;

import dev.rekindle.api.RankEvidence.Frame;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The ranks whose main threads are somewhere else than those of all others, by their Python stacks.
 *
 * <ol>
 *   <li>Ranks that load data, read or write a file, or wait for a thread, a process or a socket,
 *       while all others, more than half, wait in a collective or stand at one and the same place:
 *       {@code medium}.
 *   <li>One of three ranks or more that does not wait in a collective, while each other one does:
 *       {@code low}.
 *   <li>Of as many, those few that do not stand where all others stand: {@code low}.
 * </ol>
 *
 * <p>A rank that itself waits in a collective is never singled out: peers that are elsewhere may be
 * what it waits for. Collectives of NCCL return at once, so ranks that wait for one may stand
 * wherever the host next needs a result: that is why being elsewhere alone says little.
 */
final class StackOutlier {
  private static final String WITNESS = "Python stacks";

  /** Two ranks that differ do not say which of them is the other one. */
  private static final int LEAST_RANKS = 3;

  /** Where a rank waits for its peers: collectives, a backward pass with them, its device. */
  private static final Pattern WAITS =
      Pattern.compile(
          "(torch/(distributed/|autograd/graph\\.py|nn/parallel/|cuda/)|deepspeed/comm/).*");

  /** Where a rank waits for its host, at any depth. */
  private static final Pattern LOADS =
      Pattern.compile("torch/(utils/data/.*|serialization\\.py|storage\\.py)");

  /** Where a rank waits for its host, as the innermost frame: modules of the standard library. */
  private static final Pattern BLOCKS =
      Pattern.compile(
          "(threading|queue|selectors|socket|ssl|subprocess|shutil|gzip|zipfile|pickle)\\.py"
              + "|(multiprocessing|concurrent|asyncio|http|urllib)/.*");

  /** What a script calls. */
  private static final Pattern LIBRARY = Pattern.compile("(torch|deepspeed)/.*");

  private static final int SHOWN_FRAMES = 3;
  private static final int SHOWN_PLACES = 3;

  private StackOutlier() {}

  /** A rank, and its stack, which has a frame at least. */
  private record Standing(int rank, List<Frame> stack) {
    Frame innermost() {
      return stack.getFirst();
    }

    boolean waits() {
      return WAITS.matcher(innermost().file()).matches();
    }

    boolean isOnHost() {
      return !waits()
          && (BLOCKS.matcher(innermost().file()).matches()
              || stack.stream().anyMatch(frame -> LOADS.matcher(frame.file()).matches()));
    }
  }

  /**
   * Finds them.
   *
   * @param found by rank, innermost first; those without frames do not count
   * @param worldSize ranks of the job; 0 where not known. Unless all have frames there are none
   */
  static Outlier of(Map<Integer, List<Frame>> found, int worldSize) {
    List<Standing> all =
        found.entrySet().stream()
            .filter(rank -> !rank.getValue().isEmpty())
            .map(rank -> new Standing(rank.getKey(), rank.getValue()))
            .sorted(Comparator.comparingInt(Standing::rank))
            .toList();
    Map<List<Frame>, List<Standing>> places =
        all.stream().collect(groupingBy(Standing::stack, LinkedHashMap::new, toList()));
    var evidence = evidence(places.values());
    if (all.size() != worldSize) {
      return Outlier.none(WITNESS, evidence);
    }
    var onHost = all.stream().filter(Standing::isOnHost).toList();
    var rest = all.stream().filter(rank -> !rank.isOnHost()).toList();
    if (!onHost.isEmpty() && onHost.size() < rest.size() && wait(rest)) {
      return outlier(onHost, "it is in %s while all others wait", Confidence.MEDIUM, evidence);
    }
    var elsewhere = all.stream().filter(rank -> !rank.waits()).toList();
    if (elsewhere.size() == 1 && worldSize >= LEAST_RANKS) {
      return outlier(elsewhere, "it is in %s, all others in collectives", Confidence.LOW, evidence);
    }
    var most =
        places.entrySet().stream()
            .max(Comparator.comparingInt(place -> place.getValue().size()))
            .map(Map.Entry::getKey)
            .orElse(List.of());
    var few = all.stream().filter(rank -> !rank.stack().equals(most)).toList();
    boolean plain =
        worldSize >= LEAST_RANKS
            && Outlier.isFew(few.size(), worldSize)
            && few.stream().noneMatch(Standing::waits);
    return plain
        ? outlier(few, "it is in %s, all others in one other place", Confidence.LOW, evidence)
        : Outlier.none(WITNESS, evidence);
  }

  private static Outlier outlier(
      List<Standing> ranks, String reason, Confidence confidence, List<String> evidence) {
    return new Outlier(
        WITNESS,
        numbers(ranks),
        reason.formatted(ranks.getFirst().innermost()),
        StallClass.HOST,
        confidence,
        evidence);
  }

  /** Whether they wait for others: in collectives, or all where they need a result next. */
  private static boolean wait(List<Standing> ranks) {
    return ranks.stream().allMatch(Standing::waits)
        || ranks.stream().map(Standing::stack).distinct().count() == 1;
  }

  private static NavigableSet<Integer> numbers(List<Standing> ranks) {
    return ranks.stream().map(Standing::rank).collect(toCollection(TreeSet::new));
  }

  /** The innermost frames, and the innermost one of the script, for people. */
  static String shown(List<Frame> stack) {
    var innermost = stack.stream().limit(SHOWN_FRAMES).toList();
    var shown = innermost.stream().map(Frame::toString).collect(joining(" < "));
    return stack.stream()
        .filter(frame -> !LIBRARY.matcher(frame.file()).matches())
        .findFirst()
        .filter(own -> !innermost.contains(own))
        .map(own -> shown + " < ... < " + own)
        .orElse(shown);
  }

  /** Where most ranks are, and where few are. */
  private static List<String> evidence(Collection<List<Standing>> places) {
    return places.stream()
        .sorted(Comparator.comparingInt((List<Standing> place) -> -place.size()))
        .limit(SHOWN_PLACES)
        .map(
            place ->
                "%s: main thread in %s"
                    .formatted(
                        StallAnalysis.ranks(numbers(place)), shown(place.getFirst().stack())))
        .toList();
  }
}
