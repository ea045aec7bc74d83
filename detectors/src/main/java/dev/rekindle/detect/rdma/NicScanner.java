package dev.rekindle.detect.rdma;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads {@code class/infiniband} of a sysfs. What cannot be read is left out: files come and go
 * with firmware and driver.
 */
final class NicScanner {
  /** A file of sysfs that we read has one short line. */
  private static final int MAX_BYTES = 256;

  private static final int MOST_NAMES = 4096;

  private static final String ACTIVE = "4:";
  private static final String LINK_UP = "5:";

  private final Path sys;
  private final Path routes;
  private final Set<String> exclude;

  NicScanner(NicSettings settings) {
    sys = settings.sys();
    routes = settings.routes();
    exclude = settings.exclude();
  }

  /** Whether the node has any RDMA device. */
  boolean hasDevices() {
    return !names(sys.resolve("class/infiniband")).isEmpty();
  }

  NicReadings scan() {
    List<PortReading> ports = new ArrayList<>();
    var excluded =
        devices(
            listed(sys.resolve("class/infiniband")),
            (device, folder, interfaces) -> {
              for (var port : names(folder.resolve("ports"))) {
                ports.add(port(device, folder, port, interfaces));
              }
            });
    return new NicReadings(ports, excluded, names(sys.resolve("bus/pci/devices")));
  }

  /** The names before and those that hold now: links and folders, which ask no firmware. */
  NicNames names(NicNames before) {
    List<NicNames.Port> ports = new ArrayList<>();
    var excluded =
        devices(
            names(sys.resolve("class/infiniband")),
            (device, folder, interfaces) -> {
              for (var port : names(folder.resolve("ports"))) {
                ports.add(new NicNames.Port(device + "/" + port, device, pci(folder), interfaces));
              }
            });
    return before.and(ports, excluded);
  }

  /** Takes a device that is for training. */
  private interface Visitor {
    void visit(String device, Path folder, Set<String> interfaces);
  }

  /** Visits the devices that are for training, and names those that are not. */
  private Set<String> devices(Set<String> found, Visitor visitor) {
    Set<String> excluded = new TreeSet<>(exclude);
    var management = defaultInterfaces();
    for (var device : found) {
      var folder = sys.resolve("class/infiniband").resolve(device);
      var interfaces = names(folder.resolve("device/net"));
      if (exclude.contains(device)
          || Files.exists(folder.resolve("device/physfn"))
          || interfaces.stream().anyMatch(management::contains)) {
        excluded.add(device);
      } else {
        visitor.visit(device, folder, interfaces);
      }
    }
    return excluded;
  }

  private static PortReading port(String device, Path folder, String port, Set<String> interfaces) {
    var own = folder.resolve("ports").resolve(port);
    var state = text(own.resolve("state"));
    var physical = text(own.resolve("phys_state"));
    var rate = text(own.resolve("rate"));
    var link = text(own.resolve("link_layer"));
    var up = state.startsWith(ACTIVE) && (physical.isEmpty() || physical.startsWith(LINK_UP));
    var shown = String.join(", ", state, physical, rate, link);
    if (driver(folder).equals("efa")) {
      // It says ACTIVE whatever happens; its network interface says more.
      for (var one : interfaces) {
        var net = folder.resolve("device/net").resolve(one);
        var operstate = text(net.resolve("operstate"));
        up &= !operstate.equals("down") && !text(net.resolve("carrier")).equals("0");
        shown += ", " + one + " " + operstate;
      }
    }
    NavigableMap<String, Long> counters = new TreeMap<>();
    for (var name : Threshold.COUNTERS) {
      count(own.resolve("counters").resolve(name), name, counters);
      count(own.resolve("hw_counters").resolve(name), name, counters);
    }
    for (var one : interfaces) {
      count(
          folder.resolve("device/net").resolve(one).resolve("carrier_changes"),
          "carrier_changes",
          counters);
    }
    return new PortReading(
        device + "/" + port, device, pci(folder), up, shown, number(rate), counters);
  }

  private static void count(Path file, String name, NavigableMap<String, Long> counters) {
    var text = text(file);
    if (text.matches("\\d{1,18}")) {
      counters.merge(name, Long.valueOf(text), Long::sum);
    }
  }

  /** The number that a rate such as {@code 400 Gb/sec (4X NDR)} begins with. */
  private static int number(String rate) {
    var end = 0;
    while (end < rate.length() && end < 6 && Character.isDigit(rate.charAt(end))) {
      end++;
    }
    return end == 0 ? 0 : Integer.parseInt(rate.substring(0, end));
  }

  private static String pci(Path folder) {
    try {
      var name = String.valueOf(folder.resolve("device").toRealPath().getFileName());
      return name.matches("[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7]") ? name : "";
    } catch (IOException noDevice) {
      return "";
    }
  }

  private static String driver(Path folder) {
    try {
      return String.valueOf(folder.resolve("device/driver").toRealPath().getFileName());
    } catch (IOException noDriver) {
      return "";
    }
  }

  /** The interfaces of the default routes: the node itself is reached by them. */
  private Set<String> defaultInterfaces() {
    Set<String> interfaces = new TreeSet<>();
    try (var lines = Files.lines(routes, StandardCharsets.ISO_8859_1)) {
      lines
          .skip(1)
          .limit(10_000)
          .map(line -> line.split("\t", 3))
          .filter(words -> words.length == 3 && words[1].equals("00000000"))
          .forEach(words -> interfaces.add(words[0]));
    } catch (IOException | UncheckedIOException unknown) {
      return interfaces;
    }
    return interfaces;
  }

  /**
   * Names in a folder, none where it is not there. One that cannot be listed, as by a process that
   * may open no more files, does not say that the devices are gone.
   */
  private static Set<String> listed(Path folder) {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries
          .limit(MOST_NAMES)
          .map(entry -> String.valueOf(entry.getFileName()))
          .collect(Collectors.toCollection(TreeSet::new));
    } catch (NoSuchFileException none) {
      return Set.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Set<String> names(Path folder) {
    try (Stream<Path> entries = Files.list(folder)) {
      Set<String> names = new TreeSet<>();
      entries.limit(MOST_NAMES).forEach(entry -> names.add(String.valueOf(entry.getFileName())));
      return names;
    } catch (IOException none) {
      return Set.of();
    }
  }

  private static String text(Path file) {
    try (var in = Files.newInputStream(file)) {
      return new String(in.readNBytes(MAX_BYTES), StandardCharsets.ISO_8859_1).strip();
    } catch (IOException unreadable) {
      return "";
    }
  }
}
