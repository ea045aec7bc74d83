package dev.rekindle.simulator.replay;

import java.util.List;
import java.util.Locale;

/**
 * Which kind of fault a row of a trace is, by its level, class and description. The words are those
 * of the public traces; what none of the rules knows is taken for what the caller says.
 */
final class FaultKinds {
  private static final List<String> OPERATOR =
      List.of("change", "test", "stress test failure", "maintenance", "planned maintenance");
  private static final List<String> SILENT =
      List.of("silent data corruption", "nccl", "watchdog", "hang", "suspect machine");
  private static final List<String> MEMORY = List.of("ecc", "dbe", "sbe", "hbm", "sram");
  private static final List<String> NETWORK =
      List.of("nic", "rnic", "network", "cable", "switch", "optical", "infiniband", "roce");
  private static final List<String> HOST =
      List.of(
          "cpu",
          "fan",
          "motherboard",
          "power",
          "raid",
          "riser",
          "ssd",
          "disk",
          "memory",
          "chassis",
          "board",
          "server",
          "host",
          "kernel",
          "file system",
          "system crash",
          "maintenance");
  private static final List<String> SOFTWARE =
      List.of("software", "dependency", "firmware", "operating system");

  private FaultKinds() {}

  static FaultKind of(Outage outage, FaultKind unknown) {
    String level = lower(outage.level());
    String category = lower(outage.category());
    String text = category + " " + lower(outage.description());
    if (OPERATOR.contains(category)) {
      return FaultKind.AWAY;
    }
    if (any(text, SILENT)) {
      return FaultKind.HANG;
    }
    if (any(category, List.of("gpu"))) {
      return any(text, MEMORY) ? FaultKind.ECC : FaultKind.GPU_LOST;
    }
    if (any(text, NETWORK)) {
      return FaultKind.NIC_DOWN;
    }
    if (any(text, HOST)) {
      return FaultKind.NODE_DEAD;
    }
    if (any(level, SOFTWARE) || any(category, SOFTWARE)) {
      return FaultKind.CRASH;
    }
    return unknown;
  }

  private static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }

  /** Whether one of the words stands in the text, as a word or at the beginning of one. */
  private static boolean any(String text, List<String> words) {
    return words.stream().anyMatch(word -> contains(text, word));
  }

  private static boolean contains(String text, String word) {
    for (int at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
      if (at == 0 || !Character.isLetterOrDigit(text.charAt(at - 1))) {
        return true;
      }
    }
    return false;
  }
}
