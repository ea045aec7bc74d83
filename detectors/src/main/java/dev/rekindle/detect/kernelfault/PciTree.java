package dev.rekindle.detect.kernelfault;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The PCI bus of the node as sysfs shows it: a device's folder is in that of the port above. */
public final class PciTree {
  private final Path devices;

  /** The tree below this folder, {@code /sys/bus/pci/devices}. */
  public PciTree(Path devices) {
    this.devices = devices;
  }

  /**
   * Whether a device is below a port; false where sysfs does not say.
   *
   * @param device PCI address without function
   * @param port PCI address with function
   */
  public boolean isBelow(String device, String port) {
    try (Stream<Path> functions = Files.list(devices)) {
      return functions
          .filter(function -> function.getFileName().toString().startsWith(device + "."))
          .anyMatch(function -> hasAbove(function, port));
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean hasAbove(Path function, String port) {
    try {
      for (var above : function.toRealPath()) {
        if (above.toString().equals(port)) {
          return true;
        }
      }
      return false;
    } catch (IOException e) {
      return false;
    }
  }
}
