package dev.rekindle.detect.evidence;

import dev.rekindle.api.RankActivity;
import dev.rekindle.detect.evidence.RankUse.ContainerUse;
import dev.rekindle.detect.freeze.ContainerUsage;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What the ranks of one container use between two samples. The first is taken when it is made.
 *
 * <p>Where the container has one rank its cgroups count what that used, processes included that
 * have come and gone meanwhile.
 */
final class PodActivity {
  private final ProcessUse processes;
  private final List<RankProcess> ranks;
  private final Optional<ContainerUsage> container;
  private final InstantSource clock;
  private final Instant at;
  private final Map<Integer, RankUse> before = new HashMap<>();
  private final OptionalLong cpuBefore;
  private final OptionalLong ioBefore;

  private PodActivity(
      ProcessUse processes,
      List<RankProcess> ranks,
      Optional<ContainerUsage> container,
      InstantSource clock) {
    this.processes = processes;
    this.ranks = ranks;
    this.container = container;
    this.clock = clock;
    at = clock.instant();
    cpuBefore = container.map(ContainerUsage::cpuMicros).orElse(OptionalLong.empty());
    ioBefore = container.map(ContainerUsage::ioBytes).orElse(OptionalLong.empty());
    ranks.forEach(rank -> processes.of(rank).ifPresent(use -> before.put(rank.rank(), use)));
  }

  /**
   * Takes the first sample.
   *
   * @param cgroups the node's cgroup file system
   * @param id of the container
   * @param clock a steady one
   */
  static PodActivity begin(
      ProcessUse processes, Path cgroups, String id, List<RankProcess> ranks, InstantSource clock) {
    Optional<ContainerUsage> container = Optional.empty();
    if (ranks.size() == 1) {
      try {
        container = Optional.of(ContainerUsage.of(cgroups, id));
      } catch (IOException | IllegalArgumentException unseen) {
        // Its processes are there still.
      }
    }
    return new PodActivity(processes, ranks, container, clock);
  }

  /** Takes the second sample. A rank whose process has ended is left out. */
  Map<Integer, RankActivity> end() {
    var window = Duration.between(at, clock.instant());
    var used =
        container
            .map(
                c ->
                    new ContainerUse(since(cpuBefore, c.cpuMicros()), since(ioBefore, c.ioBytes())))
            .orElse(ContainerUse.UNKNOWN);
    Map<Integer, RankActivity> found = new HashMap<>();
    for (var rank : ranks) {
      var first = before.get(rank.rank());
      if (first != null) {
        processes.of(rank).ifPresent(use -> found.put(rank.rank(), use.since(first, window, used)));
      }
    }
    return found;
  }

  private static long since(OptionalLong before, OptionalLong now) {
    return before.isPresent() && now.isPresent()
        ? Math.max(0, now.getAsLong() - before.getAsLong())
        : -1;
  }
}
