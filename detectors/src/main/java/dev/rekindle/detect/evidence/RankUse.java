package dev.rekindle.detect.evidence;

import dev.rekindle.api.MainThread;
import dev.rekindle.api.RankActivity;
import java.time.Duration;
import java.util.Map;

/**
 * What the processes of a rank have used up to one moment.
 *
 * @param cpuMillis processor time by process id
 * @param mainMillis processor time of the main thread of the rank's own process
 * @param ioBytes bytes read and written by process id; a process without is not in it
 * @param main what that thread was doing
 * @param threads threads of the rank's own process
 * @param blocked those of them that no signal would have woken
 */
record RankUse(
    Map<Long, Long> cpuMillis,
    long mainMillis,
    Map<Long, Long> ioBytes,
    MainThread main,
    int threads,
    int blocked) {
  /**
   * What was used since an earlier moment. Of a process that is there only once nothing is known.
   *
   * @param container what its container's cgroups count meanwhile, where it has that for itself
   */
  RankActivity since(RankUse before, Duration window, ContainerUse container) {
    long cpu = Math.max(used(before.cpuMillis, cpuMillis), container.cpuMicros() / 1000);
    long io =
        ioBytes.isEmpty() && container.ioBytes() < 0
            ? -1
            : Math.max(used(before.ioBytes, ioBytes), container.ioBytes());
    return new RankActivity(
        clamped(window.toMillis()),
        clamped(cpu),
        clamped(mainMillis - before.mainMillis),
        io,
        main == before.main ? main : MainThread.CHANGING,
        threads,
        blocked);
  }

  private static long used(Map<Long, Long> before, Map<Long, Long> now) {
    return now.entrySet().stream()
        .mapToLong(e -> Math.max(0, e.getValue() - before.getOrDefault(e.getKey(), Long.MAX_VALUE)))
        .sum();
  }

  private static int clamped(long millis) {
    return Math.clamp(millis, 0, Integer.MAX_VALUE);
  }

  /**
   * What the cgroups of a container count between two moments.
   *
   * @param cpuMicros processor time in microseconds; -1 where not known
   * @param ioBytes bytes read from and written to block devices; -1 where not known
   */
  record ContainerUse(long cpuMicros, long ioBytes) {
    static final ContainerUse UNKNOWN = new ContainerUse(-1, -1);
  }
}
