package dev.rekindle.simulator.world;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The steps that the process of a rank has printed, first and last; null where there is none. */
record RankProgress(
    @Nullable Long first,
    @Nullable Long last,
    @Nullable Instant firstTime,
    @Nullable Instant lastTime) {
  static final RankProgress NONE = new RankProgress(null, null, null, null);
}
