package dev.rekindle.detect.ras;

import dev.rekindle.detect.ras.RasAnswer.Communicator;
import dev.rekindle.detect.ras.RasAnswer.Missing;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An answer as text, as {@code ncclras} prints it and NCCL gives it since 2.24.
 *
 * <p>It lists groups of ranks that are few; the others are only counted. Their count is that of the
 * only group that is not listed, where there is one.
 */
final class RasTextReader {
  private static final Pattern VERSION = Pattern.compile("NCCL version (\\S{1,32}).*");
  private static final Pattern ROW =
      Pattern.compile(
          "(\\d{1,9}) +\\d{1,9} +[\\d-]{1,20} +[\\d-]{1,20} +(?:\\d{1,9}-)?(\\d{1,9}) +[\\d-]{1,20}"
              + " +[A-Z]\\S* +\\S+");
  private static final Pattern BLOCK =
      Pattern.compile("#(\\d{1,9})-(\\d{1,9}) \\((\\w{1,64})\\) .*");
  private static final Pattern COUNTS =
      Pattern.compile("Communicator ranks have different (\\w{1,32}) operation counts");
  private static final Pattern SEVERAL =
      Pattern.compile(
          "(\\d{1,9}) ranks have (?:launched up to operation (\\d{1,18})|not launched any.*)");
  private static final Pattern ONE =
      Pattern.compile(
          "Rank (\\d{1,9}) has (?:launched up to operation (\\d{1,18})|not launched any).*");
  private static final Pattern LISTED = Pattern.compile("Rank (\\d{1,9}) -- .*");
  private static final Pattern MISSING = Pattern.compile("The missing ranks?: ([\\d, -]+)");
  private static final Pattern PROCESS =
      Pattern.compile("Process (\\d{1,9}) on node (\\S{1,128}) managing GPU.*");

  /** The longest line that NCCL writes is that of missing ranks. */
  private static final int LONGEST = 64 * 1024;

  /** Ranks of all communicators together. */
  private static final int MOST_RANKS = 1_000_000;

  private static final int MOST_BLOCKS = 10_000;

  private final Map<Integer, Integer> sizes = new TreeMap<>();
  private final List<Block> blocks = new ArrayList<>();
  private final List<Silent> processes = new ArrayList<>();
  private String version = "";
  private boolean dead;
  private @Nullable Block block;
  private @Nullable Kind kind;
  private int left = MOST_RANKS;

  private record Silent(long pid, String host, boolean dead) {}

  private record Block(int group, String hash, Map<String, Kind> kinds, Set<Integer> missing) {}

  /** Counts of one kind of collective. */
  private static final class Kind {
    final Map<Integer, Long> listed = new HashMap<>();

    /** Ranks by count, of groups of several. */
    final Map<Long, Integer> several = new HashMap<>();

    long current = -1;
  }

  private RasTextReader() {}

  static RasAnswer read(String text) throws RasException {
    var reader = new RasTextReader();
    text.lines()
        .map(line -> line.length() <= LONGEST ? line.strip() : "")
        .filter(line -> !line.isEmpty())
        .forEach(reader::take);
    if (reader.version.isEmpty() || reader.sizes.isEmpty()) {
      throw new RasException("an answer of RAS as text that is cut off, or of no communicator");
    }
    return new RasAnswer(reader.version, "", reader.communicators());
  }

  private void take(String line) {
    var row = ROW.matcher(line);
    var begins = BLOCK.matcher(line);
    var process = PROCESS.matcher(line);
    var missing = MISSING.matcher(line);
    var version = VERSION.matcher(line);
    if (version.matches() && this.version.isEmpty()) {
      this.version = version.group(1);
    } else if (row.matches() && blocks.isEmpty() && sizes.size() < MOST_BLOCKS) {
      int size = Integer.parseInt(row.group(2));
      sizes.merge(Integer.parseInt(row.group(1)), Math.min(size, MOST_RANKS), Math::max);
    } else if (begins.matches()) {
      begin(Integer.parseInt(begins.group(1)), begins.group(3));
    } else if (line.equals("DEAD") || line.equals("INCOMPLETE")) {
      dead = line.equals("DEAD");
    } else if (process.matches() && processes.size() < MOST_BLOCKS) {
      processes.add(new Silent(Long.parseLong(process.group(1)), process.group(2), dead));
    } else if (missing.matches()) {
      missing(missing.group(1));
    } else {
      counts(line);
    }
  }

  private void begin(int group, String hash) {
    kind = null;
    if (blocks.size() >= MOST_BLOCKS) {
      block = null;
      return;
    }
    block =
        blocks.stream()
            .filter(known -> known.group() == group && known.hash().equals(hash))
            .findFirst()
            .orElse(null);
    if (block == null) {
      block = new Block(group, hash, new HashMap<>(), new TreeSet<>());
      blocks.add(block);
    }
  }

  private void missing(String ranks) {
    if (block == null) {
      return;
    }
    for (var word : ranks.split("[, ]+", -1)) {
      int dash = word.indexOf('-');
      long from = number(dash < 0 ? word : word.substring(0, dash));
      long to = dash < 0 ? from : number(word.substring(dash + 1));
      for (long rank = from; rank >= 0 && rank <= to && left > 0; rank++) {
        left--;
        block.missing().add((int) rank);
      }
    }
  }

  private static long number(String digits) {
    return digits.isEmpty() || digits.length() > 9 || digits.indexOf('-') >= 0
        ? -1
        : Long.parseLong(digits);
  }

  private void counts(String line) {
    var different = COUNTS.matcher(line);
    if (line.startsWith("Communicator ranks have different ")) {
      kind =
          block == null || !different.matches()
              ? null
              : block.kinds().computeIfAbsent(different.group(1), _ -> new Kind());
      return;
    }
    if (kind == null) {
      return;
    }
    var several = SEVERAL.matcher(line);
    var one = ONE.matcher(line);
    var listed = LISTED.matcher(line);
    if (several.matches()) {
      kind.current = several.group(2) == null ? 0 : Long.parseLong(several.group(2));
      kind.several.put(kind.current, Integer.parseInt(several.group(1)));
    } else if (one.matches()) {
      list(kind, one.group(1), one.group(2) == null ? 0 : Long.parseLong(one.group(2)));
      kind.current = -1;
    } else if (listed.matches() && kind.current >= 0) {
      list(kind, listed.group(1), kind.current);
    }
  }

  private void list(Kind of, String rank, long count) {
    int number = Integer.parseInt(rank);
    if (number < MOST_RANKS && left > 0) {
      left--;
      of.listed.put(number, count);
    }
  }

  private List<Communicator> communicators() {
    List<Communicator> all = new ArrayList<>();
    for (var found : blocks) {
      int size = sizes.getOrDefault(found.group(), 0);
      Map<String, Map<Integer, Long>> counts = new HashMap<>();
      found
          .kinds()
          .forEach(
              (name, of) -> {
                var ranks = ranks(of, size, found.missing());
                if (!ranks.isEmpty()) {
                  counts.put(name, ranks);
                }
              });
      all.add(new Communicator(found.hash(), size, counts, missing(found), Set.of()));
    }
    // Of the others only the size is known: the largest one has the ranks of the job.
    sizes.forEach(
        (group, size) -> {
          if (blocks.stream().noneMatch(known -> known.group() == group)) {
            all.add(new Communicator("group " + group, size, Map.of(), List.of(), Set.of()));
          }
        });
    return all;
  }

  /** Counts of all ranks; empty where those that are not listed are of more groups than one. */
  private Map<Integer, Long> ranks(Kind of, int size, Set<Integer> missing) {
    var unlisted =
        of.several.entrySet().stream()
            .filter(
                e -> of.listed.values().stream().filter(e.getKey()::equals).count() < e.getValue())
            .map(Map.Entry::getKey)
            .toList();
    if (unlisted.size() > 1 || size > left) {
      return Map.of();
    }
    Map<Integer, Long> ranks = new HashMap<>(of.listed);
    if (unlisted.size() == 1) {
      left -= size;
      for (int rank = 0; rank < size; rank++) {
        if (!missing.contains(rank)) {
          ranks.putIfAbsent(rank, unlisted.getFirst());
        }
      }
    }
    return ranks;
  }

  /** The process of a rank is known where one of each is missing. */
  private List<Missing> missing(Block of) {
    var distinct = processes.stream().distinct().toList();
    boolean one = distinct.size() == 1 && of.missing().size() == 1;
    return of.missing().stream()
        .map(
            rank ->
                one
                    ? new Missing(
                        rank,
                        distinct.getFirst().host(),
                        distinct.getFirst().pid(),
                        distinct.getFirst().dead())
                    : new Missing(rank, "", -1, dead))
        .toList();
  }
}
