package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.engine.Loop;
import dev.rekindle.simulator.process.Answers.Call;
import dev.rekindle.simulator.world.World;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How often the API server is asked the same thing for one job, or for nodes, in a minute. */
final class CallRates extends Check {
  /** An inspector is asked for its report four times a second, by two processes at most. */
  static final int MOST = 600;

  /** What stops or starts a gang: some attempts a minute, each repeated with growing pauses. */
  static final int MOST_WRITES = 30;

  /** {@link SmallObjects} bounds what comes of it. */
  static final int MOST_OPENED = 80;

  /** Four pods of some attempts, where the watch of pods shows nothing new for 15 s. */
  static final int MOST_DELETIONS = 60;

  private record Asked(Call call, @Nullable JobKey job) {}

  private record Count(long minute, int calls) {}

  private final Map<Asked, Count> counts = new HashMap<>();

  CallRates(World world, Invariants all) {
    super(world, all, Invariant.FEW_CALLS);
  }

  @Override
  public void called(Call call, @Nullable JobKey job) {
    long minute = Loop.micros(now()) / 60_000_000L;
    Count count =
        counts.merge(
            new Asked(call, job),
            new Count(minute, 1),
            (was, one) -> was.minute() == minute ? new Count(minute, was.calls() + 1) : one);
    if (count.calls() > most(call)) {
      broken(
          "%s was called more than %d times within a minute for %s"
              .formatted(call, most(call), job == null ? "nodes" : job));
    }
  }

  private static int most(Call call) {
    return switch (call) {
      case DELETE_POD -> MOST_DELETIONS;
      case OPEN -> MOST_OPENED;
      case SUSPEND, RESUME, REVIVE, ORDER, START_INSPECTOR -> MOST_WRITES;
      default -> MOST;
    };
  }
}
