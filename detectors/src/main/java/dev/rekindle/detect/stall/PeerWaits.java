package dev.rekindle.detect.stall;

import static dev.rekindle.detect.stall.TimedDevices.hasBegun;

import dev.rekindle.detect.flightrecorder.Collective;
import dev.rekindle.detect.flightrecorder.Dump;
import dev.rekindle.detect.flightrecorder.GroupProgress;
import dev.rekindle.detect.flightrecorder.ProcessGroup;
import dev.rekindle.detect.stall.TimedDevices.Awaited;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Who waits for whom in a send or a receive: {@code recv 0<-3}, ranks inside the group.
 *
 * <p>A rank with as many pending ones as are kept at most may have the other half behind these: it
 * is not held against it that it is not there.
 */
final class PeerWaits {
  /** Of one rank and group, as its host may run far ahead of its device. */
  static final int MOST_PENDING = 64;

  private static final Pattern SEND = Pattern.compile("send (\\d{1,6})->(\\d{1,6})");
  private static final Pattern RECEIVE = Pattern.compile("recv (\\d{1,6})<-(\\d{1,6})");

  private final NavigableMap<Integer, NavigableSet<Integer>> waitsFor = new TreeMap<>();

  /** By rank, peers whose device stands in something before their half, or who have no dump. */
  private final NavigableMap<Integer, NavigableSet<Integer>> standing = new TreeMap<>();

  /** Pairs whose devices both stand in one send and its receive, lower rank first. */
  private final NavigableMap<Integer, NavigableSet<Integer>> stuck = new TreeMap<>();

  /** Ranks whose device has not come to a half in whose other half their peer's device stands. */
  private final NavigableMap<Integer, Awaited> notBegun = new TreeMap<>();

  /** Of all ranks; a peer that has the other half of the operation is not waited for. */
  static PeerWaits of(Map<Integer, Dump> dumps, PendingOrder order) {
    var waits = new PeerWaits();
    dumps.forEach(
        (rank, dump) ->
            dump.groups()
                .forEach(
                    (group, progress) ->
                        pending(progress)
                            .forEach(
                                operation ->
                                    peer(group, rank, operation)
                                        .ifPresent(
                                            p ->
                                                waits.add(
                                                    rank, p, dumps, group, operation, order)))));
    return waits;
  }

  private void add(
      int rank,
      int peer,
      Map<Integer, Dump> dumps,
      ProcessGroup group,
      Collective operation,
      PendingOrder order) {
    var dump = dumps.get(peer);
    if (dump == null) {
      // It has no dump: who waits for it is no culprit, and it is none for that.
      standing.computeIfAbsent(rank, _ -> new TreeSet<>()).add(peer);
      return;
    }
    var half = half(dump, group, operation);
    if (half.isEmpty() && runsFarAhead(dump, group)) {
      standing.computeIfAbsent(rank, _ -> new TreeSet<>()).add(peer);
    } else if (half.isEmpty()) {
      waitsFor.computeIfAbsent(rank, _ -> new TreeSet<>()).add(peer);
    } else if (order.standsIn(rank, group, operation)
        && order.standsBefore(peer, group, half.get())) {
      standing.computeIfAbsent(rank, _ -> new TreeSet<>()).add(peer);
    } else if (order.standsIn(rank, group, operation) && order.standsIn(peer, group, half.get())) {
      if (hasBegun(operation, true) && hasBegun(half.get(), false)) {
        notBegun
            .computeIfAbsent(peer, _ -> new Awaited(inWords(group, half.get()), new TreeSet<>()))
            .there()
            .add(rank);
        standing.computeIfAbsent(rank, _ -> new TreeSet<>()).add(peer);
        return;
      }
      if (hasBegun(operation, false) && hasBegun(half.get(), true)) {
        return; // Seen from the other side.
      }
      stuck.computeIfAbsent(Math.min(rank, peer), _ -> new TreeSet<>()).add(Math.max(rank, peer));
    }
  }

  private static boolean runsFarAhead(Dump dump, ProcessGroup group) {
    var progress = dump.groups().get(group);
    return progress != null
        && progress.operations().stream().filter(c -> c.pointToPoint() && c.pending()).count()
            >= MOST_PENDING;
  }

  private static String inWords(ProcessGroup group, Collective half) {
    return "%s %d of %s".formatted(half.operation(), half.sequence(), group.label());
  }

  /** Ranks whose device has not come to a half in whose other half their peer's device stands. */
  NavigableMap<Integer, Awaited> notBegun() {
    return notBegun;
  }

  /** The first that is pending, with all of its batch: none of a batch is over before all are. */
  private static List<Collective> pending(GroupProgress progress) {
    var pending =
        progress.operations().stream().filter(c -> c.pointToPoint() && c.pending()).toList();
    return pending.stream().filter(c -> c.sequence() == pending.getFirst().sequence()).toList();
  }

  /** The peers that this rank waits for. */
  NavigableSet<Integer> awaitedBy(int rank) {
    return waitsFor.getOrDefault(rank, new TreeSet<>());
  }

  /** The peers that may not have come to the half that they have begun. */
  NavigableSet<Integer> standing(int rank) {
    return standing.getOrDefault(rank, new TreeSet<>());
  }

  /** Pairs of ranks that stand in one send and its receive, which does not end. */
  NavigableMap<Integer, NavigableSet<Integer>> stuck() {
    return stuck;
  }

  private static Optional<Integer> peer(ProcessGroup group, int rank, Collective operation) {
    var send = SEND.matcher(operation.operation());
    var receive = RECEIVE.matcher(operation.operation());
    if (send.matches()) {
      return global(group, send.group(2)).filter(p -> p != rank);
    }
    return receive.matches()
        ? global(group, receive.group(2)).filter(p -> p != rank)
        : Optional.empty();
  }

  private static Optional<Integer> global(ProcessGroup group, String inside) {
    int index = Integer.parseInt(inside);
    return index < group.ranks().size() ? Optional.of(group.ranks().get(index)) : Optional.empty();
  }

  /** What the peer has under way in this group, if it is the other half. */
  private static Optional<Collective> half(Dump peer, ProcessGroup group, Collective operation) {
    var progress = peer.groups().get(group);
    return progress == null
        ? Optional.empty()
        : progress.operations().stream()
            .filter(c -> c.pointToPoint() && c.pending() && matches(c, operation))
            .findFirst();
  }

  private static boolean matches(Collective theirs, Collective mine) {
    var send = SEND.matcher(mine.operation());
    if (send.matches()) {
      return theirs.operation().equals("recv " + send.group(2) + "<-" + send.group(1));
    }
    var receive = RECEIVE.matcher(mine.operation());
    return receive.matches()
        && theirs.operation().equals("send " + receive.group(2) + "->" + receive.group(1));
  }
}
