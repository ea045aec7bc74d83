package dev.rekindle.detect.kernel;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What is remembered of earlier lines to understand the next. Immutable, so that a line which could
 * not be worked on can be read again.
 *
 * @param gpus names of GPUs by PCI address
 * @param newestGpu address of the one named last: its serial number comes in a line of its own
 * @param open a message of several lines that has begun
 * @param kinds what the drivers have shown to be at an address: {@link Finding#GPU}, {@link
 *     Finding#NIC}
 */
public record ParserState(
    Map<String, GpuName> gpus, String newestGpu, Optional<Open> open, Map<String, String> kinds) {
  /** More devices than a node has. */
  private static final int KINDS = 128;

  /** At the beginning of a log. */
  public static final ParserState EMPTY = new ParserState(Map.of(), "", Optional.empty(), Map.of());

  /** What such a message is about. */
  enum Kind {
    /** A GPU that does not answer when the driver is loaded. */
    PROBE,
    /** A processor that hangs in the kernel. */
    LOCKUP,
    /** A PCIe error that the kernel tries to recover from. */
    PCIE
  }

  /**
   * A message that has begun.
   *
   * @param kind what it is about
   * @param subject a PCI address, or a processor
   * @param lines how many more lines may belong to it
   */
  record Open(Kind kind, String subject, int lines) {}

  /** The address of a GPU by its UUID; empty where the log has not named it. */
  public String address(String uuid) {
    return gpus.entrySet().stream()
        .filter(gpu -> gpu.getValue().uuid().equals(uuid))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse("");
  }

  ParserState opened(Kind kind, String subject, int lines) {
    return new ParserState(gpus, newestGpu, Optional.of(new Open(kind, subject, lines)), kinds);
  }

  ParserState closed() {
    return open.isEmpty() ? this : new ParserState(gpus, newestGpu, Optional.empty(), kinds);
  }

  /** After one more line that may belong to the open message. */
  ParserState aged() {
    if (open.isEmpty()) {
      return this;
    }
    var begun = open.get();
    return begun.lines() <= 1 ? closed() : opened(begun.kind(), begun.subject(), begun.lines() - 1);
  }

  ParserState named(Map<String, GpuName> names, String newest) {
    return new ParserState(Map.copyOf(names), newest, open, kinds).known(newest, Finding.GPU);
  }

  /** The same, knowing what is at this address. */
  ParserState known(String address, String kind) {
    if (address.isEmpty() || kinds.containsKey(address) || kinds.size() >= KINDS) {
      return this;
    }
    Map<String, String> all = new HashMap<>(kinds);
    all.put(address, kind);
    return new ParserState(gpus, newestGpu, open, Map.copyOf(all));
  }

  /** What is at this address, as far as the log has shown. */
  String kind(String address) {
    return kinds.getOrDefault(address, Finding.OTHER);
  }
}
