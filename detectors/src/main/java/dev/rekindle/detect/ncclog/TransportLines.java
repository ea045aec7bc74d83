package dev.rekindle.detect.ncclog;

import dev.rekindle.api.Transport;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Adds up what the INFO lines of NCCL in one run of a container say of the network between nodes,
 * process by process. Where a launcher starts processes again within the container, a process
 * counts no more once another one names the same GPU, until it prints a line again: processes that
 * each see one GPU all name the first. Bounded; for one thread.
 */
public final class TransportLines {
  private final Map<String, RankNetwork> byProcess = new LinkedHashMap<>();
  private String version = "";
  private @Nullable Transport made;

  /** Whether a line may hold what is read here: cheap, and true for few lines. */
  public static boolean mayHold(String line) {
    return TransportLine.mayHold(line);
  }

  /** Takes a line, whatever it is. */
  public void take(String raw) {
    var line = raw.length() <= NcclLines.LONGEST ? raw : raw.substring(0, NcclLines.LONGEST);
    if (!TransportLine.mayHold(line)) {
      return;
    }
    var text = NcclLines.withoutEscapes(line);
    TransportLine.read(text).ifPresent(said -> take(NcclProcess.of(text), said));
  }

  private void take(NcclProcess process, TransportLine said) {
    made = null;
    if (said instanceof TransportLine.Version named) {
      version = named.version();
      return;
    }
    var rank = byProcess.get(process.id());
    if (rank == null) {
      if (byProcess.size() == Transport.MOST_RANKS && !makeRoom()) {
        return;
      }
      rank = new RankNetwork(process.device());
      for (var other : byProcess.values()) {
        other.supersededBy(rank);
      }
      byProcess.put(process.id(), rank);
    }
    rank.take(said);
  }

  /** Forgets a process that another one has followed; whether there was one. */
  private boolean makeRoom() {
    for (var entry : new ArrayDeque<>(byProcess.entrySet())) {
      if (entry.getValue().isSuperseded()) {
        byProcess.remove(entry.getKey());
        return true;
      }
    }
    return false;
  }

  /** Another run of the container has begun. */
  public void clear() {
    byProcess.clear();
    version = "";
    made = null;
  }

  /** What was said so far; empty until a process has named a network. */
  public Optional<Transport> transport() {
    var known = made;
    if (known == null) {
      known = sum(byProcess.values().stream().filter(RankNetwork::counts).toList());
      made = known;
    }
    return known.ranks() == 0 ? Optional.empty() : Optional.of(known);
  }

  private Transport sum(Collection<RankNetwork> ranks) {
    var networks = new TreeSet<String>();
    var devices = new TreeSet<String>();
    int rdma = 0;
    int socket = 0;
    int fewest = Integer.MAX_VALUE;
    long channels = 0;
    long direct = 0;
    long socketChannels = 0;
    for (var rank : ranks) {
      networks.addAll(rank.networks());
      devices.addAll(rank.devices());
      switch (rank.kind()) {
        case RDMA -> rdma++;
        case SOCKET -> socket++;
        case OTHER -> {}
      }
      fewest = rank.devices().isEmpty() ? fewest : Math.min(fewest, rank.devices().size());
      channels += rank.channels();
      direct += rank.direct();
      socketChannels += rank.socketChannels();
    }
    return new Transport(
        ranks.size(),
        rdma,
        socket,
        networks.stream().limit(Transport.MOST_NETWORKS).toList(),
        devices.stream().limit(Transport.MOST_DEVICES).toList(),
        fewest == Integer.MAX_VALUE ? 0 : fewest,
        clamp(channels),
        clamp(direct),
        clamp(socketChannels),
        version);
  }

  private static int clamp(long count) {
    return (int) Math.min(count, Transport.MOST_CHANNELS);
  }
}
