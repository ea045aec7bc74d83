package dev.rekindle.detect.flightrecorder;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Dumps of PyTorch 2.1 to 2.3, in the words of later ones. Up to 2.2 a dump is the list of its
 * entries, with times in microseconds; version 1 of the dictionary has the same entries. Both name
 * a group by a number that each process counts for itself, so only the first group is the same on
 * all ranks. Of the others those count whose ranks the dump lists; they are named by these.
 */
final class EarlyVersions {
  private static final String FIRST = "0";

  /** The first ranks of a group are its name, which is no longer than a name of a group may be. */
  private static final int MOST_RANKS_IN_NAME = 32;

  private static final long MOST_RANKS = 1_000_000;

  private final Map<String, Map<String, Object>> groups = new HashMap<>();

  /** Names of groups by their local numbers. */
  private final Map<Long, String> names = new HashMap<>();

  private EarlyVersions() {}

  /** Whether it is a dump of one of these, by its first level. */
  static boolean isOne(@Nullable Object tree) {
    return tree instanceof List<?> entries
        ? !entries.isEmpty() && Fields.of(entries.getFirst()).has("seq_id")
        : Fields.of(tree).text("version").startsWith("1.");
  }

  /** The same as a dictionary of version 2, without what cannot be compared with other ranks. */
  static Map<String, Object> read(@Nullable Object tree) {
    var reader = new EarlyVersions();
    var entries = tree instanceof List<?> list ? list : Fields.of(tree).list("entries");
    if (tree instanceof Map<?, ?> dump && dump.get("pg_config") instanceof Map<?, ?> groups) {
      reader.readGroups(groups);
    }
    reader.names.putIfAbsent(0L, FIRST);
    var read = new ArrayList<Map<Object, Object>>();
    for (var entry : entries) {
      reader.entry(entry, read);
    }
    return Map.of("version", "2.0", "entries", read, "pg_config", reader.groups);
  }

  private void readGroups(Map<?, ?> configuration) {
    Map<Long, List<?>> byNumber = new TreeMap<>();
    configuration.forEach(
        (number, ranks) -> {
          if (number instanceof Long id && ranks instanceof List<?> list && !list.isEmpty()) {
            byNumber.put(id, list);
          }
        });
    Map<String, Integer> known = new HashMap<>();
    byNumber.forEach(
        (number, ranks) -> {
          if (groups.size() <= DumpBuilder.MOST_GROUPS && hasName(ranks)) {
            int nth = known.merge(name(ranks), 1, Integer::sum);
            // Groups of the same ranks are distinguished by their order of creation.
            var name = number == 0 ? FIRST : name(ranks) + (nth == 1 ? "" : " (" + nth + ")");
            names.put(number, name);
            groups.put(name, Map.of("desc", "", "ranks", ranks));
          }
        });
  }

  private static boolean hasName(List<?> ranks) {
    return ranks.stream()
        .limit(MOST_RANKS_IN_NAME)
        .allMatch(rank -> rank instanceof Long number && number >= 0 && number < MOST_RANKS);
  }

  private static String name(List<?> ranks) {
    return ranks.stream()
        .limit(MOST_RANKS_IN_NAME)
        .map(String::valueOf)
        .collect(Collectors.joining(",", "ranks ", ""));
  }

  private void entry(@Nullable Object value, List<Map<Object, Object>> read) {
    var entry = Fields.of(value);
    var name = names.get(entry.number("pg_id", -1));
    long sequence = entry.number("seq_id", -1);
    if (name == null || sequence < 0 || !(value instanceof Map<?, ?> fields)) {
      return;
    }
    var own = new HashMap<Object, Object>(fields);
    own.put("process_group", List.of(name, ""));
    own.put(
        DumpBuilder.isPeerCall(entry.text("profiling_name")) ? "p2p_seq_id" : "collective_seq_id",
        sequence);
    long micros = entry.number("time_created_us", 0);
    if (micros > 0 && micros < Long.MAX_VALUE / 1_000) {
      own.put("time_created_ns", micros * 1_000);
    }
    read.add(own);
  }
}
