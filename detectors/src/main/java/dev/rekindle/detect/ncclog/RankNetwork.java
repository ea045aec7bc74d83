package dev.rekindle.detect.ncclog;

import dev.rekindle.api.Transport;
import java.util.Set;
import java.util.TreeSet;

/** What one process has said of its network. For one thread. */
final class RankNetwork {
  private static final String SOCKET = "Socket";

  private final long device;
  private final Set<String> networks = new TreeSet<>();
  private final Set<String> devices = new TreeSet<>();
  private String chosen = "";
  private String provider = "";
  private long channels;
  private long direct;
  private long socketChannels;
  private boolean superseded;

  /** What a network is. */
  enum Kind {
    RDMA,
    SOCKET,
    /** A plugin of which it is not known. */
    OTHER
  }

  RankNetwork(long device) {
    this.device = device;
  }

  void take(TransportLine said) {
    superseded = false;
    switch (said) {
      case TransportLine.Chosen(var network) -> chosen = add(network);
      case TransportLine.Found(var found) -> {
        devices.clear();
        devices.addAll(found);
      }
      case TransportLine.Provider(var name) -> provider = name;
      case TransportLine.Channel(var network, var isDirect) -> {
        boolean socket = add(network).equals(SOCKET);
        socketChannels += socket ? 1 : 0;
        channels += socket ? 0 : 1;
        direct += !socket && isDirect ? 1 : 0;
      }
      case TransportLine.Version _ -> {}
    }
  }

  private String add(String network) {
    if (networks.size() < Transport.MOST_NETWORKS) {
      networks.add(network);
    }
    return network;
  }

  void supersededBy(RankNetwork other) {
    superseded |= device >= 0 && device == other.device;
  }

  boolean isSuperseded() {
    return superseded;
  }

  /** Whether it has named a network, and no other process has taken its place. */
  boolean counts() {
    return !superseded && !networks.isEmpty();
  }

  /** One channel over TCP is as slow as all: collectives wait for it. */
  Kind kind() {
    if (socketChannels > 0) {
      return Kind.SOCKET;
    }
    if (direct > 0 || isRdma(chosen) || networks.stream().anyMatch(RankNetwork::isRdma)) {
      return Kind.RDMA;
    }
    return switch (provider) {
      case "efa", "verbs" -> Kind.RDMA;
      case "tcp", "sockets" -> Kind.SOCKET;
      default -> chosen.equals(SOCKET) ? Kind.SOCKET : Kind.OTHER;
    };
  }

  /** IB, and the plugins that are made of it: IBext, IBext_v8, IB_UCX. */
  private static boolean isRdma(String network) {
    return network.startsWith("IB");
  }

  Set<String> networks() {
    return networks;
  }

  /** The devices that it found for RDMA, where that is what it uses. */
  Set<String> devices() {
    return kind() == Kind.RDMA ? devices : Set.of();
  }

  long channels() {
    return channels;
  }

  long direct() {
    return direct;
  }

  long socketChannels() {
    return socketChannels;
  }
}
