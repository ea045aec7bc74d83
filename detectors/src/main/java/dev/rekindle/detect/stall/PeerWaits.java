package dev.rekindle.detect.stall;

import dev.rekindle.detect.flightrecorder.Collective;
import dev.rekindle.detect.flightrecorder.Dump;
import dev.rekindle.detect.flightrecorder.GroupProgress;
import dev.rekindle.detect.flightrecorder.ProcessGroup;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Who waits for whom in a send or a receive: {@code recv 0<-3}, ranks inside the group. */
final class PeerWaits {
  private static final Pattern SEND = Pattern.compile("send (\\d{1,6})->(\\d{1,6})");
  private static final Pattern RECEIVE = Pattern.compile("recv (\\d{1,6})<-(\\d{1,6})");

  private final NavigableMap<Integer, NavigableSet<Integer>> waitsFor = new TreeMap<>();

  /** Of all ranks; a peer that has the other half of the operation is not waited for. */
  static PeerWaits of(Map<Integer, Dump> dumps) {
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
                                        .filter(p -> lacks(dumps.get(p), group, operation))
                                        .ifPresent(p -> waits.add(rank, p)))));
    return waits;
  }

  /** The first that is pending, with all of its batch: none of a batch is over before all are. */
  private static List<Collective> pending(GroupProgress progress) {
    var pending =
        progress.operations().stream().filter(c -> c.pointToPoint() && c.pending()).toList();
    return pending.stream().filter(c -> c.sequence() == pending.getFirst().sequence()).toList();
  }

  private void add(int rank, int peer) {
    waitsFor.computeIfAbsent(rank, _ -> new TreeSet<>()).add(peer);
  }

  /** The peers that this rank waits for. */
  NavigableSet<Integer> awaitedBy(int rank) {
    return waitsFor.getOrDefault(rank, new TreeSet<>());
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

  /** Whether the peer, which has a dump, has nothing under way in this group. */
  private static boolean lacks(@Nullable Dump peer, ProcessGroup group, Collective operation) {
    if (peer == null) {
      return false;
    }
    var progress = peer.groups().get(group);
    return progress == null
        || progress.operations().stream()
            .noneMatch(c -> c.pointToPoint() && c.pending() && matches(c, operation));
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
