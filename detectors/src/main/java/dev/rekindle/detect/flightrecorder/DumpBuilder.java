package dev.rekindle.detect.flightrecorder;

import static java.util.Comparator.comparingLong;

import dev.rekindle.detect.flightrecorder.CoalescedEntries.Numbers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Makes a {@link Dump} of what a file has.
 *
 * <p>{@code pg_status} has the numbers, by the local number of the group; {@code pg_config} has the
 * ranks, by the name of the group; only an entry says which number has which name. Where a group
 * has no entry, the names and the numbers are paired in their order, if all names are numbers and
 * there are as many of both, and no entry says otherwise: groups get both in the order in which
 * they are made.
 */
final class DumpBuilder {
  /** So many of the collectives that are over are kept for each group, to compare. */
  private static final int KEPT = 64;

  static final int MOST_GROUPS = 4096;
  private static final int MOST_PENDING = 4096;

  /** A rank of 100,000 is in some groups of a hundred, and in few of all. */
  private static final int MOST_MEMBERS = 1_000_000;

  private static final String TOO_MANY_GROUPS = "more than " + MOST_GROUPS + " process groups";

  /** Old versions have no {@code is_p2p}. */
  private static final Pattern PEER_CALL = Pattern.compile("(?:send|recv) .*");

  private final DumpReader texts;
  private final int rank;
  private final Fields dump;
  private final Map<Long, ProcessGroup> named = new HashMap<>();
  private final Map<ProcessGroup, CoalescedEntries> entries = new LinkedHashMap<>();
  private final Map<ProcessGroup, List<Collective>> operations = new LinkedHashMap<>();
  private final CallHistory calls = new CallHistory();

  /** One list may stand for very many groups. */
  private final IdentityHashMap<List<?>, List<Integer>> lists = new IdentityHashMap<>();

  /** Groups of Gloo, whose collectives end in any order. */
  private final Set<ProcessGroup> unordered = new HashSet<>();

  /** Whether nothing in it is over: PyTorch can be set to dump only what is under way. */
  private boolean onlyPending = true;

  private final DeviceTiming timing = new DeviceTiming();

  private long newest;

  /** Whether the last entry is completed by its state and has not been retired. */
  private boolean unretired;

  DumpBuilder(DumpReader texts, int rank, Fields dump) {
    this.texts = texts;
    this.rank = rank;
    this.dump = dump;
  }

  Dump build() throws DumpException {
    checkGroups();
    readEntries();
    checkMember();
    Map<ProcessGroup, GroupProgress> groups = new HashMap<>();
    var status = dump.fields("pg_status");
    var byNumber = byNumber(status);
    readOperations(status, byNumber);
    for (var key : status.keys()) {
      var group = byNumber.get(key);
      var numbers = status.fields(key);
      if (group != null && numbers.has("last_enqueued_collective")) {
        var entries = operations.getOrDefault(group, List.of());
        // An entry is there before the status has it, and whatever the status says.
        long enqueued = Math.max(numbers.number("last_enqueued_collective", -1), last(entries));
        long completed = numbers.number("last_completed_collective", -1);
        groups.put(
            group,
            new GroupProgress(
                enqueued, completed(group, enqueued, completed, entries), false, kept(entries)));
      }
    }
    operations.forEach((group, entries) -> groups.computeIfAbsent(group, _ -> inferred(entries)));
    configured().forEach(group -> groups.computeIfAbsent(group, _ -> inferred(List.of())));
    return new Dump(rank, groups, newest, calls.pattern(), unretired);
  }

  /**
   * The last collective that is over with all before it. The status may be behind the entries, as
   * Gloo's threads write it in any order, or ahead of one that is pending.
   */
  private long completed(
      ProcessGroup group, long enqueued, long completed, List<Collective> entries) {
    long known = Math.max(completed, Math.min(enqueued, over(entries)));
    return unordered.contains(group)
        ? Math.min(known, Math.max(-1, firstPending(entries) - 1))
        : known;
  }

  private void readEntries() throws DumpException {
    for (var value : dump.list("entries")) {
      var entry = Fields.of(value);
      var group = group(entry);
      named.put(entry.number("pg_id", -1), group);
      var collective = collective(entry);
      timing.add(group, entry);
      onlyPending &= collective.pending();
      var numbers =
          new Numbers(entry.number("collective_seq_id", -1), entry.number("p2p_seq_id", -1));
      boolean ends =
          entries.computeIfAbsent(group, _ -> new CoalescedEntries()).add(collective, numbers);
      if (!collective.pointToPoint() && !ends) {
        calls.add(group, collective);
      }
      if (entry.text("profiling_name").startsWith("gloo:")) {
        unordered.add(group);
      }
      if (entries.size() > MOST_GROUPS) {
        throw new DumpException(TOO_MANY_GROUPS);
      }
      newest = Math.max(newest, entry.number("time_created_ns", 0));
      unretired =
          !ends && !entry.flag("retired") && entry.text("state").equals("completed") && newest > 0;
    }
  }

  /** Of each group; what the status has is by number. */
  private void readOperations(Fields status, Map<String, ProcessGroup> byNumber) {
    Map<ProcessGroup, Long> completed = new HashMap<>();
    byNumber.forEach(
        (number, group) -> {
          var numbers = status.fields(number);
          completed.put(group, numbers.number("last_completed_collective", -1));
          timing.addStatus(group, numbers);
        });
    entries.forEach(
        (group, own) ->
            operations.put(group, own.operations(onlyPending, completed.getOrDefault(group, -1L))));
    timing.check(operations);
  }

  private ProcessGroup group(Fields entry) {
    var names = entry.list("process_group");
    var name = names.isEmpty() ? "" : Fields.cut(names.get(0));
    var description = names.size() < 2 ? "" : Fields.cut(names.get(1));
    return group(name, description);
  }

  /** Whether an operation is a send or a receive, by its name with or without the library. */
  static boolean isPeerCall(String profilingName) {
    var operation = profilingName.substring(profilingName.indexOf(':') + 1);
    return PEER_CALL.matcher(operation).matches();
  }

  private List<Integer> ranks(Fields configuration) {
    var list = configuration.list("ranks");
    return list.isEmpty()
        ? texts.ranks(configuration.wholeText("ranks"))
        : lists.computeIfAbsent(list, texts::ranks);
  }

  /** One list may stand for very many groups, each of which is compared with others. */
  private void checkGroups() throws DumpException {
    var configurations = dump.fields("pg_config");
    var names = configurations.keys();
    if (names.size() > MOST_GROUPS) {
      throw new DumpException(TOO_MANY_GROUPS);
    }
    long members = names.stream().mapToLong(n -> ranks(configurations.fields(n)).size()).sum();
    if (members > MOST_MEMBERS) {
      throw new DumpException("more than " + MOST_MEMBERS + " members of process groups");
    }
  }

  /** A process records the groups that it makes, and is a member of each; Gloo's numbers differ. */
  private void checkMember() throws DumpException {
    var configurations = dump.fields("pg_config");
    for (var name : unordered.isEmpty() ? configurations.keys() : List.<String>of()) {
      var ranks = ranks(configurations.fields(name));
      if (!name.isEmpty() && !ranks.isEmpty() && !ranks.contains(rank)) {
        throw new DumpException(
            "rank %d is no member of its group %s: it is of another rank"
                .formatted(rank, Fields.cut(name)));
      }
    }
  }

  /** With the ranks that the dump lists for it, if this one is among them. */
  private ProcessGroup group(String name, String description) {
    var ranks = ranks(dump.fields("pg_config").fields(name));
    return new ProcessGroup(
        texts.shared(name), texts.shared(description), ranks.contains(rank) ? ranks : List.of());
  }

  private Collective collective(Fields entry) {
    var name = entry.text("profiling_name");
    var operation = name.substring(name.indexOf(':') + 1);
    boolean pointToPoint = entry.flag("is_p2p") || isPeerCall(name);
    // Gloo leaves the state as it was and says that the entry is retired.
    boolean over = entry.flag("retired") || entry.text("state").equals("completed");
    return new Collective(
        sequence(entry, pointToPoint),
        texts.shared(operation),
        texts.shared(shape(entry)),
        pointToPoint,
        !over,
        entry.number("time_created_ns", 0),
        over ? null : Boolean.valueOf(DeviceTiming.isBegun(entry)),
        // Of what the watchdog has not retired, the recorder asks the device as it writes the dump.
        entry.flag("retired") ? entry.number("time_discovered_completed_ns", 0) : 0);
  }

  /** PyTorch up to 2.4 counts batches of sends and receives with the collectives. */
  private static long sequence(Fields entry, boolean pointToPoint) {
    long collectives = entry.number("collective_seq_id", -1);
    return pointToPoint ? Math.max(0, collectives) + entry.number("p2p_seq_id", -1) : collectives;
  }

  private static String shape(Fields entry) {
    var shape = new StringBuilder();
    for (var sizes : entry.list("input_sizes")) {
      append(shape, sizes);
    }
    for (var type : entry.list("input_dtypes")) {
      shape.append(' ').append(Fields.cut(type));
    }
    return Fields.cut(shape.toString());
  }

  private static void append(StringBuilder shape, Object sizes) {
    if (!(sizes instanceof List<?> numbers) || shape.length() > 256) {
      return;
    }
    shape.append('[');
    for (int i = 0; i < Math.min(numbers.size(), 16); i++) {
      shape.append(i == 0 ? "" : ",").append(numbers.get(i) instanceof Long size ? size : "?");
    }
    shape.append(']');
  }

  private Map<String, ProcessGroup> byNumber(Fields status) {
    Map<String, ProcessGroup> groups = new HashMap<>();
    named.forEach((number, group) -> groups.put(String.valueOf(number), group));
    var numbers = numeric(status.keys());
    var names = numeric(dump.fields("pg_config").keys());
    if (numbers.size() != names.size() || numbers.size() != status.keys().size()) {
      return groups;
    }
    Map<String, ProcessGroup> paired = new HashMap<>();
    for (int i = 0; i < names.size(); i++) {
      var name = String.valueOf(names.get(i));
      var description = dump.fields("pg_config").fields(name).text("desc");
      paired.put(String.valueOf(numbers.get(i)), group(name, description));
    }
    boolean agreed =
        groups.entrySet().stream().allMatch(e -> e.getValue().equals(paired.get(e.getKey())));
    return agreed ? paired : groups;
  }

  private static List<Long> numeric(List<String> texts) {
    return texts.stream()
        .filter(t -> t.length() < 18 && t.chars().allMatch(c -> c >= '0' && c <= '9'))
        .filter(Predicate.not(String::isEmpty))
        .map(Long::valueOf)
        .sorted()
        .toList();
  }

  /** Groups that this rank is in by the list of their ranks. */
  private List<ProcessGroup> configured() {
    var configurations = dump.fields("pg_config");
    Set<ProcessGroup> groups = new HashSet<>();
    for (var name : configurations.keys()) {
      var group = group(name, configurations.fields(name).text("desc"));
      if (!group.ranks().isEmpty()) {
        groups.add(group);
      }
    }
    return List.copyOf(groups);
  }

  /** The first collective that is pending; the greatest number there is for none. */
  private static long firstPending(List<Collective> entries) {
    return entries.stream()
        .filter(c -> c.pending() && !c.pointToPoint())
        .mapToLong(Collective::sequence)
        .min()
        .orElse(Long.MAX_VALUE);
  }

  /** The last collective that the entries say is over, with none pending before it; -1 for none. */
  private static long over(List<Collective> entries) {
    long pending = firstPending(entries);
    return entries.stream()
        .filter(c -> !c.pending() && !c.pointToPoint())
        .mapToLong(Collective::sequence)
        .filter(sequence -> sequence < pending)
        .max()
        .orElse(-1);
  }

  /** The last collective; -1 for none. */
  private static long last(List<Collective> entries) {
    return entries.stream()
        .filter(Predicate.not(Collective::pointToPoint))
        .mapToLong(Collective::sequence)
        .max()
        .orElse(-1);
  }

  private static GroupProgress inferred(List<Collective> entries) {
    var collectives = entries.stream().filter(Predicate.not(Collective::pointToPoint)).toList();
    long enqueued = last(entries);
    long completed =
        collectives.stream()
            .filter(Collective::pending)
            .mapToLong(c -> c.sequence() - 1)
            .min()
            .orElse(enqueued);
    return new GroupProgress(enqueued, completed, true, kept(entries));
  }

  private static List<Collective> kept(List<Collective> entries) {
    var sorted = entries.stream().sorted(comparingLong(Collective::sequence)).toList();
    var pending = sorted.stream().filter(Collective::pending).limit(MOST_PENDING).toList();
    var over = sorted.stream().filter(Predicate.not(Collective::pending)).toList();
    List<Collective> kept =
        new ArrayList<>(over.subList(Math.max(0, over.size() - KEPT), over.size()));
    kept.addAll(pending);
    return kept;
  }
}
