package dev.rekindle.detect.stall;

import dev.rekindle.api.RankDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The ranks whose GPU does something else than those of all others, by what the driver counts.
 *
 * <p>GPUs that wait in a collective of NCCL spin in its kernel: they are busy all the time, leave
 * their memory at rest, and take a good deal less power than they usually do. One that is idle has
 * nothing to do, as its host does not come to the collective; one that is at work is in a kernel of
 * the program. Where the GPUs of all ranks wait alike nothing is said: the network may be at fault.
 *
 * <p>It is a weak witness, and was never seen on several GPUs: by itself it guesses.
 */
final class DeviceOutlier {
  private static final String WITNESS = "the GPUs";

  /** Two or three that differ do not say which of them is the other one. */
  private static final int LEAST_RANKS = 4;

  /** Percent of the time in which a kernel ran. */
  private static final int BUSY = 90;

  private static final int HALF_BUSY = 50;
  private static final int IDLE = 10;

  /** Percent of the time in which memory was used: at rest, and where nothing usual is known. */
  private static final int AT_REST = 5;

  private static final int AT_WORK = 20;

  /** Percent of the usual power: one that waits takes less, one that works more. */
  private static final int WAITING_POWER = 70;

  private static final int WORKING_POWER = 80;

  private static final int FEW = 3;

  /** What a GPU does. */
  private enum Doing {
    WAITS,
    WORKS,
    IDLES,
    UNCLEAR
  }

  private DeviceOutlier() {}

  /**
   * Finds them.
   *
   * @param found by rank, of the ranks whose GPU was read
   * @param worldSize ranks of the job; 0 where not known. Unless all were read there are none
   */
  static Outlier of(Map<Integer, RankDevice> found, int worldSize) {
    if (found.isEmpty()) {
      return Outlier.none(WITNESS, List.of());
    }
    NavigableMap<Integer, RankDevice> byRank = new TreeMap<>(found);
    var idle = ranks(byRank, Doing.IDLES);
    var working = ranks(byRank, Doing.WORKS);
    int waiting = ranks(byRank, Doing.WAITS).size();
    boolean all = byRank.size() == worldSize && worldSize >= LEAST_RANKS;
    if (all && Outlier.isFew(idle.size(), worldSize) && waiting + idle.size() == worldSize) {
      return outlier(
          idle,
          "its GPU is idle while those of all others wait in a kernel",
          StallClass.HOST,
          evidence(byRank, waiting, idle));
    }
    if (all && Outlier.isFew(working.size(), worldSize) && waiting + working.size() == worldSize) {
      return outlier(
          working,
          "its GPU is at work while those of all others wait in a kernel",
          StallClass.DEVICE_OR_LINK,
          evidence(byRank, waiting, working));
    }
    return Outlier.none(WITNESS, evidence(byRank, waiting, new TreeSet<>()));
  }

  private static Outlier outlier(
      NavigableSet<Integer> ranks, String reason, StallClass stallClass, List<String> evidence) {
    return new Outlier(WITNESS, ranks, reason, stallClass, Confidence.LOW, evidence);
  }

  private static NavigableSet<Integer> ranks(NavigableMap<Integer, RankDevice> found, Doing what) {
    NavigableSet<Integer> ranks = new TreeSet<>();
    found.forEach(
        (rank, device) -> {
          if (doing(device) == what) {
            ranks.add(rank);
          }
        });
    return ranks;
  }

  private static Doing doing(RankDevice device) {
    if (device.utilization() <= IDLE) {
      return Doing.IDLES;
    }
    if (device.utilization() >= BUSY
        && device.memory() <= AT_REST
        && isBelow(device, WAITING_POWER)) {
      return Doing.WAITS;
    }
    boolean works = device.memory() >= memoryAtWork(device.usualMemory()) || isAtFullPower(device);
    return device.utilization() >= HALF_BUSY && works ? Doing.WORKS : Doing.UNCLEAR;
  }

  private static int memoryAtWork(@Nullable Integer usual) {
    return usual == null ? AT_WORK : Math.max(2 * AT_REST, usual / 2);
  }

  /** Whether it takes less than that share of the usual; so where nothing usual is known. */
  private static boolean isBelow(RankDevice device, int percent) {
    Integer usual = device.usualWatts();
    return usual == null || 100L * device.watts() <= (long) percent * usual;
  }

  private static boolean isAtFullPower(RankDevice device) {
    Integer usual = device.usualWatts();
    return usual != null && usual > 0 && !isBelow(device, WORKING_POWER);
  }

  private static List<String> evidence(
      NavigableMap<Integer, RankDevice> found, int waiting, NavigableSet<Integer> singled) {
    List<String> lines = new ArrayList<>();
    lines.add("the GPUs of %d of %d ranks wait in a kernel".formatted(waiting, found.size()));
    found.entrySet().stream()
        .filter(e -> singled.contains(e.getKey()))
        .limit(FEW)
        .forEach(e -> lines.add(shown(e.getKey(), e.getValue())));
    return lines;
  }

  private static String shown(int rank, RankDevice device) {
    Integer usual = device.usualWatts();
    return "GPU %s of rank %d: busy %d %% of the time, memory %d %%, %d W%s"
        .formatted(
            device.gpu(),
            rank,
            device.utilization(),
            device.memory(),
            device.watts(),
            usual == null ? "" : ", usually %d W".formatted(usual));
  }
}
