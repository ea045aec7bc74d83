package dev.rekindle.detect.stall;

import dev.rekindle.api.RankEvidence;
import dev.rekindle.detect.flightrecorder.Dump;
import dev.rekindle.detect.flightrecorder.GroupProgress;
import dev.rekindle.detect.flightrecorder.ProcessGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Process groups that do not stand still: a rank enqueued or completed an operation shortly before
 * it wrote its dump. Dumps of a job are not of one moment, so the numbers of such a group differ
 * between ranks without a fault: a link came back, or a side group beats while the training stands.
 */
final class MovingGroups {
  /** A gang is suspected after 30 s at least; dumps of its ranks are at most some seconds apart. */
  static final Duration RECENT = Duration.ofSeconds(5);

  private final Set<ProcessGroup> groups = new HashSet<>();
  private final List<String> evidence = new ArrayList<>();

  /** Adds what a rank was found doing. */
  void add(RankEvidence rank, SummaryReader reader) {
    for (var group : rank.groups()) {
      Long idle = group.idleMillis();
      if (idle != null && idle < RECENT.toMillis()) {
        var key = reader.key(rank, group);
        if (groups.add(key)) {
          evidence.add(
              "%s moves: rank %d enqueued or completed an operation %d ms before its dump"
                  .formatted(key.label(), rank.rank(), idle));
        }
      }
    }
  }

  /** A line for each of them. */
  List<String> evidence() {
    return evidence;
  }

  /** Whether a rank waits, and only in such groups: the job trains. */
  boolean haveAllThatWait(List<Dump> dumps) {
    return !groups.isEmpty()
        && dumps.stream()
            .flatMap(dump -> dump.groups().entrySet().stream())
            .filter(entry -> waits(entry.getValue()))
            .allMatch(entry -> groups.contains(entry.getKey()));
  }

  private static boolean waits(GroupProgress progress) {
    return Moments.waits(progress);
  }

  /** The dumps without these groups. */
  List<Dump> without(List<Dump> dumps) {
    return groups.isEmpty() ? dumps : dumps.stream().map(this::without).toList();
  }

  private Dump without(Dump dump) {
    Map<ProcessGroup, GroupProgress> standing = new HashMap<>(dump.groups());
    standing.keySet().removeAll(groups);
    return new Dump(dump.rank(), standing, dump.newest(), dump.pattern());
  }
}
