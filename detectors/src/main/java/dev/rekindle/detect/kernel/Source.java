package dev.rekindle.detect.kernel;

import dev.rekindle.api.NodeFaultSpec.ComponentType;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Who reports. */
public enum Source {
  /** NVIDIA's GPU driver. */
  XID(ComponentType.GPU),
  /** NVIDIA's NVSwitch driver. */
  SXID(ComponentType.NVSWITCH),
  /** The mlx5 driver of NVIDIA (Mellanox) NICs, and the kernel about it. */
  MLX5(ComponentType.NIC),
  /** The kernel, about a process that died inside a library. */
  SEGFAULT(ComponentType.NODE),
  /** A tool that has reset a GPU. */
  RESET(ComponentType.GPU),
  /** NVIDIA's GPU driver, in words and not by an XID. */
  NVRM(ComponentType.GPU),
  /** The kernel's PCIe error handling; what is faulty then, {@link Finding#component} says. */
  PCIE(ComponentType.NODE),
  /** The kernel, about errors of the machine's memory and processors. */
  MACHINE(ComponentType.NODE),
  /** The NVMe driver. */
  NVME(ComponentType.NODE),
  /** A file system of the node. */
  FILESYSTEM(ComponentType.NODE);

  private final ComponentType component;

  Source(ComponentType component) {
    this.component = component;
  }

  /** What kind of thing is faulty then. */
  public ComponentType component() {
    return component;
  }

  /** Its word in rules and reports. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** All their words, for people. */
  public static String words() {
    return Arrays.stream(values()).map(Source::word).collect(Collectors.joining(", "));
  }

  /** The source of that word. */
  public static Optional<Source> of(String word) {
    for (var source : values()) {
      if (source.word().equals(word)) {
        return Optional.of(source);
      }
    }
    return Optional.empty();
  }
}
