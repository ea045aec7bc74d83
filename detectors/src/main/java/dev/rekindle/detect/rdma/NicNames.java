package dev.rekindle.detect.rdma;

import dev.rekindle.detect.PciAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * How the RDMA ports of a node are called, and where they are. The driver's lines in the kernel log
 * name a PCI function or a network interface, everybody else names the port.
 *
 * @param ports those that are read, and those that were and are gone
 */
public record NicNames(List<Port> ports) {
  /** Of a node of which no port is read. */
  public static final NicNames NONE = new NicNames(List.of());

  /** More ports than a node has; which others were there is forgotten. */
  private static final int MOST = 256;

  /**
   * A port.
   *
   * @param id device and port, {@code mlx5_0/1}
   * @param device its device, {@code mlx5_0}
   * @param pci PCI address of the device with its function, {@code 0000:3b:00.1}; empty where it
   *     has none
   * @param interfaces its network interfaces, as far as they are known
   */
  public record Port(String id, String device, String pci, Set<String> interfaces) {
    /** An immutable copy. */
    public Port {
      interfaces = Set.copyOf(interfaces);
    }

    private boolean isOf(String card) {
      return !pci.isEmpty() && PciAddress.of(pci).equals(card);
    }
  }

  /** An immutable copy. */
  public NicNames {
    ports = List.copyOf(ports);
  }

  /**
   * Ids of all ports of the card at this address. What its functions share, its firmware above all,
   * is a matter of each.
   *
   * @param card a PCI address without function, as {@link PciAddress} writes it
   */
  public List<String> ofCard(String card) {
    return ids(port -> port.isOf(card));
  }

  /**
   * Ids of the ports that a line means.
   *
   * @param card PCI address without function; may be empty
   * @param name a function of that card, {@code .1}, or a network interface
   */
  public List<String> of(String card, String name) {
    return ids(
        port ->
            name.startsWith(".")
                ? port.isOf(card) && port.pci().endsWith(name)
                : port.interfaces().contains(name));
  }

  /**
   * The PCI address, without function, of what has this network interface; empty if nothing has.
   */
  public String card(String networkInterface) {
    return ports.stream()
        .filter(port -> port.interfaces().contains(networkInterface) && !port.pci().isEmpty())
        .map(port -> PciAddress.of(port.pci()))
        .findFirst()
        .orElse("");
  }

  private List<String> ids(Predicate<Port> meant) {
    return ports.stream().filter(meant).map(Port::id).toList();
  }

  /**
   * These names in the light of a new poll. A port that is gone keeps its name: with a driver that
   * gives a card up its device disappears, and its last lines are still to come.
   *
   * @param there the ports that are there
   * @param excluded devices that are not read
   */
  NicNames and(List<Port> there, Set<String> excluded) {
    List<Port> all = new ArrayList<>(there);
    ports.stream()
        .filter(old -> !excluded.contains(old.device()))
        .filter(old -> there.stream().noneMatch(port -> takesPlaceOf(port, old)))
        .forEach(all::add);
    return new NicNames(all.subList(0, Math.min(all.size(), MOST)));
  }

  /** After a reboot a card may be called otherwise, and a name belong to another card. */
  private static boolean takesPlaceOf(Port port, Port old) {
    return port.id().equals(old.id())
        || port.device().equals(old.device())
        || (!old.pci().isEmpty() && port.pci().equals(old.pci()));
  }
}
