package dev.rekindle.controller.checkpoint;

import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One number for scans that go on side by side on several nodes. A round is over once every node
 * has reported two more scans than at its beginning: the first of these may have been under way
 * then, the second was not. So two rounds after a moment there is a scan of every node that began
 * after that moment, as with one scanner and its numbers. Pure.
 *
 * @param number of this round, from 1
 * @param scans node to the newest scan when the round began
 */
public record ScanRounds(long number, Map<String, Long> scans) {
  private static final int MORE = 2;

  public ScanRounds {
    scans = Map.copyOf(scans);
  }

  /**
   * The round that these scans are of.
   *
   * @param former the last one; absent at the beginning
   * @param now node to its newest scan; each time of the same nodes
   */
  public static ScanRounds next(@Nullable ScanRounds former, Map<String, Long> now) {
    if (former == null || !former.scans.keySet().equals(now.keySet())) {
      return new ScanRounds(1, now);
    }
    boolean over =
        now.entrySet().stream()
            .allMatch(
                e -> e.getValue() >= Objects.requireNonNull(former.scans.get(e.getKey())) + MORE);
    return over ? new ScanRounds(former.number + 1, now) : former;
  }
}
