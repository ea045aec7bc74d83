package dev.rekindle.detect.flightrecorder;

import static java.util.stream.Collectors.joining;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the dumps of one job. What their texts have in common is kept once, so that a job of 10,000
 * ranks does not need 10,000 lists of 10,000 ranks.
 *
 * <p>Not for several threads at once.
 */
public final class DumpReader {
  /** The largest dump that is read; a ring of 2,000 entries with deep stacks has some 20 MiB. */
  public static final int MOST_BYTES = 64 << 20;

  private static final int MOST_RANKS = 100_000;

  /** A full ring has 2,000 entries of some 60 values; with stacks, ten times as many. */
  private static final int MOST_OBJECTS = 4_000_000;

  private final int mostBytes;
  private final int mostObjects;
  private final Map<String, String> texts = new HashMap<>();
  private final Map<String, List<Integer>> rankLists = new HashMap<>();
  private long kept;

  /** Reads dumps of up to {@link #MOST_BYTES}; a full ring with deep stacks needs a GiB of heap. */
  public DumpReader() {
    this(MOST_BYTES, MOST_OBJECTS);
  }

  /**
   * Reads smaller dumps in less memory.
   *
   * @param mostBytes the largest dump
   * @param mostObjects most values of a dump, each of which takes some 100 bytes of heap or less
   */
  public DumpReader(int mostBytes, int mostObjects) {
    this.mostBytes = mostBytes;
    this.mostObjects = mostObjects;
  }

  /**
   * Reads one dump: a pickle as {@code _dump_fr_trace} writes it, or the JSON of {@code
   * _dump_fr_trace_json}; also compressed by gzip. Versions 1.x and 2.x, and the lists of PyTorch
   * 2.1 and 2.2.
   *
   * @param rank whose it is; the dump does not say
   * @throws DumpException when it is no complete dump
   */
  public Dump read(int rank, byte[] bytes) throws DumpException {
    return whole(rank, Gzip.isOne(bytes) ? Gzip.read(bytes, mostBytes) : bytes);
  }

  private Dump whole(int rank, byte[] bytes) throws DumpException {
    if (bytes.length == 0) {
      throw new DumpException("the file is empty");
    }
    if (bytes.length > mostBytes) {
      throw new DumpException("larger than " + mostBytes + " bytes");
    }
    var tree =
        bytes[0] == '{' ? JsonTree.read(bytes, mostObjects) : PlainPickle.read(bytes, mostObjects);
    var dump = Fields.of(EarlyVersions.isOne(tree) ? EarlyVersions.read(tree) : tree);
    var version = dump.text("version");
    if (version.isEmpty()) {
      throw new DumpException("no dump of a flight recorder: it has no version");
    }
    if (!version.startsWith("2.")) {
      throw new DumpException("version " + version + " of the dump is not known");
    }
    return new DumpBuilder(this, rank, dump).build();
  }

  /** One object for equal texts, as long as there are not too many. */
  String shared(String text) {
    var known = texts.get(text);
    if (known != null) {
      return known;
    }
    kept += text.length();
    if (kept < MOST_BYTES) {
      texts.put(text, text);
    }
    return text;
  }

  /** The ranks of {@code [0, 1, 2]}, or none where it is no such list. */
  List<Integer> ranks(String list) {
    var known = rankLists.get(list);
    if (known != null) {
      return known;
    }
    var ranks = parse(list);
    kept += list.length();
    if (kept < MOST_BYTES) {
      rankLists.put(list, ranks);
    }
    return ranks;
  }

  /** The same of a list of numbers, as recorders of other libraries write it. */
  List<Integer> ranks(List<?> list) {
    return list.size() <= MOST_RANKS && list.stream().allMatch(Long.class::isInstance)
        ? ranks(list.stream().map(String::valueOf).collect(joining(", ", "[", "]")))
        : List.of();
  }

  private static List<Integer> parse(String list) {
    if (!list.startsWith("[") || !list.endsWith("]")) {
      return List.of();
    }
    var numbers = list.substring(1, list.length() - 1).split(",", MOST_RANKS + 1);
    var ranks = new ArrayList<Integer>(numbers.length);
    for (var number : numbers) {
      var rank = number(number.strip());
      if (rank == null || rank < 0 || rank >= MOST_RANKS) {
        return List.of();
      }
      ranks.add(rank);
    }
    return ranks.stream().distinct().count() == ranks.size() ? List.copyOf(ranks) : List.of();
  }

  private static @Nullable Integer number(String digits) {
    try {
      return Integer.valueOf(digits);
    } catch (NumberFormatException e) {
      return null;
    }
  }
}
