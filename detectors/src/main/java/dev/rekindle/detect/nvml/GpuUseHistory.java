package dev.rekindle.detect.nvml;

import dev.rekindle.api.RankDevice;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * How busy the GPUs of the node were at the polls of the last quarter of an hour. For any thread;
 * times are readings of {@link System#nanoTime}.
 */
final class GpuUseHistory {
  private static final Duration KEPT = Duration.ofMinutes(15);

  /** As many as there are with a poll a second. */
  private static final int MOST = 900;

  /** An older sample may be of when the rank still trained. */
  private static final Duration FRESH = Duration.ofSeconds(20);

  /** Two minutes of polls every 15 s: fewer do not show what is usual. */
  private static final int LEAST = 8;

  private final Map<String, Deque<Sample>> byGpu = new HashMap<>();

  private record Sample(long nanos, GpuUse use) {
    boolean isWithin(Duration time, long now) {
      return now - nanos <= time.toNanos();
    }

    long bytes(long pid) {
      return use.processes().getOrDefault(pid, -1L);
    }
  }

  /** Keeps what a poll showed; a GPU that is not among the readings is forgotten. */
  synchronized void add(Collection<GpuReading> readings, long nanos) {
    byGpu.keySet().retainAll(readings.stream().map(GpuReading::pci).toList());
    for (var reading : readings) {
      var samples = byGpu.computeIfAbsent(reading.pci(), _ -> new ArrayDeque<>());
      reading.use().ifPresent(use -> samples.add(new Sample(nanos, use)));
      while (samples.size() > MOST
          || (!samples.isEmpty() && !samples.getFirst().isWithin(KEPT, nanos))) {
        samples.removeFirst();
      }
    }
  }

  /**
   * The GPU on which a process computes: where it has several, that of which it holds the most
   * memory.
   *
   * @param pid its number on the node
   * @return empty where none is known, or none was polled of late
   */
  synchronized Optional<RankDevice> of(long pid, long nanos) {
    return byGpu.entrySet().stream()
        .filter(e -> bytesNow(e.getValue(), pid, nanos) >= 0)
        .max(Comparator.comparingLong(e -> bytesNow(e.getValue(), pid, nanos)))
        .map(e -> device(e.getKey(), e.getValue(), pid));
  }

  private static long bytesNow(Deque<Sample> samples, long pid, long nanos) {
    var last = samples.peekLast();
    return last == null || !last.isWithin(FRESH, nanos) ? -1 : last.bytes(pid);
  }

  private static RankDevice device(String gpu, Deque<Sample> samples, long pid) {
    var now = samples.getLast().use();
    var own = samples.stream().filter(s -> s.bytes(pid) >= 0).map(Sample::use).toList();
    return new RankDevice(
        gpu,
        now.utilization(),
        now.memory(),
        now.watts(),
        usual(own, GpuUse::memory),
        usual(own, GpuUse::watts));
  }

  /** The upper quartile. */
  private static @Nullable Integer usual(List<GpuUse> uses, ToIntFunction<GpuUse> what) {
    if (uses.size() < LEAST) {
      return null;
    }
    List<Integer> values = new ArrayList<>();
    uses.forEach(use -> values.add(what.applyAsInt(use)));
    values.sort(Comparator.naturalOrder());
    return values.get(values.size() * 3 / 4);
  }
}
