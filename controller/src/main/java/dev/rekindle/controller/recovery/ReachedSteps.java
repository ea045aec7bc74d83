package dev.rekindle.controller.recovery;

import dev.rekindle.api.RankReportStatus.Loss;
import dev.rekindle.controller.diagnosis.GangProgress;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RecoveryView;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The newest step that this process saw during each recovery, until the gang is drained. A new
 * process has seen less; then the step reported is an earlier one.
 */
final class ReachedSteps {
  private final Map<JobKey, Reached> reached = new ConcurrentHashMap<>();

  /** The newest step that this process saw during a recovery. */
  private record Reached(String recovery, long step) {}

  /** No recovery of the job is open any more. */
  void forget(JobKey key) {
    reached.remove(key);
  }

  /** The newest step seen so far, with what is seen now; absent for none. */
  @Nullable Long observe(
      JobKey key, RecoveryView recovery, List<PodView> pods, List<RankView> ranks) {
    GangProgress progress = GangProgress.of(pods, ranks);
    Loss loss = progress.loss();
    // Steps with a loss of NaN are no progress (seed 75095237).
    Long step = loss != null && loss.notFinite() > 0 ? null : progress.lastStep();
    Reached before = reached.get(key);
    boolean same = before != null && before.recovery().equals(recovery.name());
    if (step != null && (!same || step > Objects.requireNonNull(before).step())) {
      reached.put(key, new Reached(recovery.name(), step));
      return step;
    }
    return same ? Objects.requireNonNull(before).step() : null;
  }
}
