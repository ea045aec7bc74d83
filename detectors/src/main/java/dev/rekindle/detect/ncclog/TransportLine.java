package dev.rekindle.detect.ncclog;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What an INFO line of NCCL says of the network between nodes. The formats are those of NCCL's
 * {@code src/init.cc}, {@code src/transport/net.cc} and {@code src/transport/net_ib}, and of the
 * plugin for Libfabric.
 */
sealed interface TransportLine {
  /** The mark of such a line. */
  String MARK = "NCCL INFO ";

  /** The line by which NCCL names its version has no other mark. */
  String VERSION = "NCCL version ";

  /** Names are cut to so many characters. */
  int LONGEST_NAME = 64;

  /** Devices read of one line. */
  int MOST_DEVICES = 32;

  /** {@code Using network IB}: what the process has chosen. */
  record Chosen(String network) implements TransportLine {}

  /** {@code NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE ; OOB eth0:...}: what it has found. */
  record Found(List<String> devices) implements TransportLine {}

  /** {@code NET/OFI Selected provider is efa}. */
  record Provider(String name) implements TransportLine {}

  /**
   * {@code Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0/GDRDMA}.
   *
   * @param direct whether the data goes from and to the memory of GPUs
   */
  record Channel(String network, boolean direct) implements TransportLine {}

  /** {@code NCCL version 2.21.5+cuda12.4}. */
  record Version(String version) implements TransportLine {}

  /** Whether a line may be one of these. */
  static boolean mayHold(String text) {
    return text.contains(MARK) || text.contains(VERSION);
  }

  /** What a line without escape sequences says; empty for all that say nothing of the network. */
  static Optional<TransportLine> read(String text) {
    var scan = new Scan(text, 0);
    if (!scan.behind(MARK)) {
      return version(scan);
    }
    scan.blanks();
    if (scan.skip("Using network ")) {
      return name(scan.until(",;(", LONGEST_NAME)).map(Chosen::new);
    }
    if (scan.skip("NET/IB : Using ") || scan.skip("NET/IB: Using ")) {
      return devices(text, scan);
    }
    if (scan.skip("NET/OFI Selected ")
        && (scan.skip("provider is ") || scan.skip("Provider is "))) {
      return name(scan.until(" ,(", LONGEST_NAME)).map(Provider::new);
    }
    if (scan.skip("Channel ") || scan.skip("Ring ")) {
      return channel(text, scan);
    }
    return version(scan);
  }

  private static Optional<TransportLine> version(Scan scan) {
    return scan.behind(VERSION)
        ? name(scan.until(" ,;", LONGEST_NAME)).map(Version::new)
        : Optional.empty();
  }

  private static Optional<TransportLine> channel(String text, Scan scan) {
    if (!scan.behind(" via NET/")) {
      return Optional.empty();
    }
    var network = name(scan.until("/", LONGEST_NAME));
    // Behind the number of the device: /GDRDMA, and /Shared in some versions.
    boolean direct = text.indexOf("/GDRDMA", scan.at()) >= 0;
    return network.map(name -> new Channel(name, direct));
  }

  /** {@code [0]mlx5_0:1/RoCE [1]={...}mlx5_1:1/IB/SHARP [RO]; OOB ...}. */
  private static Optional<TransportLine> devices(String text, Scan scan) {
    int end = text.indexOf(';', scan.at());
    var list = text.substring(scan.at(), end < 0 ? text.length() : end);
    List<String> devices = new ArrayList<>();
    var each = new Scan(list, 0);
    while (devices.size() < MOST_DEVICES && each.behind("[")) {
      if (each.number() >= 0 && each.skip("]")) {
        name(each.until(":/ [", LONGEST_NAME)).ifPresent(devices::add);
      }
    }
    return devices.isEmpty() ? Optional.empty() : Optional.of(new Found(devices));
  }

  private static Optional<String> name(String found) {
    var name = found.strip();
    return name.isEmpty() ? Optional.empty() : Optional.of(name);
  }
}
