package dev.rekindle.detect.rdma;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** A sysfs of real folders, files and links, shaped as the kernel shapes it for mlx5 and EFA. */
final class SysTree {
  final Path root;

  SysTree(Path root) {
    this.root = root;
  }

  private static void write(Path file, Object text) {
    try {
      Files.createDirectories(file.getParent());
      Files.writeString(file, text + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void link(Path link, Path target) throws IOException {
    var folder = link.resolve("..").normalize();
    Files.createDirectories(folder);
    Files.createSymbolicLink(link, folder.relativize(target));
  }

  private Path pciFolder(String pci) {
    return root.resolve("devices/pci0000:00").resolve(pci);
  }

  /** A device with one port that is up. */
  SysTree add(String device, String pci, String driver, String... interfaces) throws IOException {
    var folder = pciFolder(pci).resolve("infiniband").resolve(device);
    Files.createDirectories(folder);
    link(folder.resolve("device"), pciFolder(pci));
    link(root.resolve("class/infiniband").resolve(device), folder);
    link(root.resolve("bus/pci/devices").resolve(pci), pciFolder(pci));
    var module = Files.createDirectories(root.resolve("bus/pci/drivers").resolve(driver));
    link(pciFolder(pci).resolve("driver"), module);
    for (var one : interfaces) {
      write(net(pci, one).resolve("operstate"), "up");
      write(net(pci, one).resolve("carrier"), 1);
      write(net(pci, one).resolve("carrier_changes"), 1);
    }
    up(device);
    counter(device, "link_downed", 0);
    return this;
  }

  Path net(String pci, String name) {
    return pciFolder(pci).resolve("net").resolve(name);
  }

  void virtual(String pci, String of) throws IOException {
    link(pciFolder(pci).resolve("physfn"), pciFolder(of));
  }

  void remove(String device, String pci, boolean pciToo) throws IOException {
    Files.delete(root.resolve("class/infiniband").resolve(device));
    if (pciToo) {
      Files.delete(root.resolve("bus/pci/devices").resolve(pci));
      try (Stream<Path> files = Files.walk(pciFolder(pci))) {
        files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
      }
    }
  }

  private Path port(String device) {
    return root.resolve("class/infiniband").resolve(device).resolve("ports/1");
  }

  SysTree up(String device) {
    return state(device, "4: ACTIVE", "5: LinkUp", "400 Gb/sec (4X NDR)");
  }

  SysTree down(String device) {
    return state(device, "1: DOWN", "2: Polling", "10 Gb/sec (4X SDR)");
  }

  SysTree state(String device, String state, String physical, String rate) {
    write(port(device).resolve("state"), state);
    write(port(device).resolve("phys_state"), physical);
    write(port(device).resolve("rate"), rate);
    write(port(device).resolve("link_layer"), "InfiniBand");
    return this;
  }

  SysTree counter(String device, String name, long value) {
    write(port(device).resolve("counters").resolve(name), value);
    return this;
  }

  SysTree hardwareCounter(String device, String name, long value) {
    write(port(device).resolve("hw_counters").resolve(name), value);
    return this;
  }

  /** The routing table, with a default route over an interface. */
  Path routes(String name) {
    var file = root.resolve("route");
    write(
        file,
        "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\n"
            + "ib9\t0000FEA9\t00000000\t0001\t0\t0\t0\t0000FFFF\n"
            + name
            + "\t00000000\t0100000A\t0003\t0\t0\t0\t00000000");
    return file;
  }

  NicSettings settings(Set<String> exclude, Map<String, Integer> rails) {
    return new NicSettings(
        true, root, root.resolve("route"), Duration.ofMillis(50), exclude, rails);
  }
}
