package dev.rekindle.simulator.chaos;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.FormerRun;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RankReportStatus.Loss;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.Poison;
import dev.rekindle.simulator.world.RankObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.Storage;
import dev.rekindle.simulator.world.World;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A loss that is NaN, or infinite.
 *
 * <ul>
 *   <li>Invariant 56: a gang of which each report with a step names such a loss does not count as
 *       recovered, unless the loss was so before its failure, or its ranks differed then and not
 *       all of them are heard. No bound: no view can have shown another loss of the gang.
 *   <li>Invariant 29: a recovery for such a loss does not go back to the checkpoint that the gang
 *       has loaded. Bound: its first attempt, scripts that can be sent back, and jobs with an older
 *       checkpoint.
 * </ul>
 *
 * Why: the steps of such a gang are worthless, and so are its checkpoints.
 */
final class NotFinite extends Check {
  private static final String CANNOT = "the script cannot be sent back";

  private final Checkpoints checkpoints;

  /** When a report last named a step and no such loss, by job. */
  private final Map<JobKey, Instant> finite = new HashMap<>();

  /** When a recovery last started its gang. */
  private final Map<String, Instant> resumed = new HashMap<>();

  /** From which step the gang began last, by UID of its job, and by recovery when that began. */
  private final Map<String, Long> loaded = new HashMap<>();

  NotFinite(World world, Invariants all, Checkpoints checkpoints) {
    super(world, all, Invariant.TRUE_RESUMES);
    this.checkpoints = checkpoints;
    world.ranks().watch(this::reported);
  }

  private void reported(Change<RankObject> change) {
    RankObject report = change.after();
    if (report != null && hasStep(report.view()) && !isNotFinite(report.view().loss())) {
      finite.put(report.view().job(), now());
    }
  }

  private static boolean hasStep(RankView report) {
    return report.firstStep() != null || report.lastStep() != null;
  }

  private static boolean isNotFinite(@Nullable Loss loss) {
    return loss != null && loss.value() == null && loss.notFinite() > 0;
  }

  @Override
  public void begins(JobKey key, String generation, JobObject.Template template, long from) {
    world.jobs().find(key.toString()).ifPresent(job -> loaded.put(job.meta().uid(), from));
  }

  @Override
  public void opened(RecoveryObject recovery) {
    Long from = loaded.get(recovery.spec().jobUid());
    if (from != null) {
      loaded.put(recovery.meta().key(), from);
    }
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    RecoveryStatus was = before.status();
    JobObject job = jobOf(before).orElse(null);
    if (after == null || was == null || job == null || isOver(was)) {
      return;
    }
    if (after.phase() == RecoveryPhase.RESUMING && was.phase() != RecoveryPhase.RESUMING) {
      resumed.put(before.meta().key(), now());
      goesBack(before, job, after);
    }
    Outcome outcome = after.outcome();
    if (after.phase() == RecoveryPhase.RECOVERED
        && outcome != null
        && outcome.firstStepAfter() != null
        && outcome.resume() != null) {
      recovers(before, job, was);
    }
  }

  private void recovers(RecoveryObject recovery, JobObject job, RecoveryStatus was) {
    Instant since = resumed.get(recovery.meta().key());
    Loss loss = was.cause() == null ? null : was.cause().loss();
    boolean wasSoBefore = loss != null && loss.notFinite() > 0;
    if (since == null
        || wasSoBefore
        || !finite.getOrDefault(job.key(), Instant.MIN).isBefore(since)) {
      return;
    }
    int heard = 0;
    for (RankObject report : world.ranks().all()) {
      RankView view = report.view();
      if (view.job().equals(job.key()) && hasStep(view)) {
        if (!isNotFinite(view.loss())) {
          return;
        }
        heard += counts(report) ? 1 : 0;
      }
    }
    if (heard >= (differed(was) ? world.podsOf(job).size() : 1)) {
      broken(
          job.key(),
          "recovery %s has recovered, and each report on job %s since then names a loss of NaN"
              .formatted(recovery.meta().key(), job.key()));
    }
  }

  private static boolean differed(RecoveryStatus status) {
    FormerRun before = status.cause() == null ? null : status.cause().before();
    return before != null && Boolean.TRUE.equals(before.lossesDiffer());
  }

  private void goesBack(RecoveryObject recovery, JobObject job, RecoveryStatus after) {
    PinnedCheckpoint pin = after.plan() == null ? null : after.plan().checkpoint();
    Long step = pin == null || pin.verdict() != CheckpointVerdict.VALID ? null : pin.step();
    if (pin != null
        && step != null
        && after.attempt() == 1
        && after.cause() != null
        && after.cause().reason().equals(Cause.LOSS_NOT_FINITE)
        && step.equals(loaded.get(recovery.meta().key()))
        && storage(job).poison(step) == Poison.GIVES_NAN
        && storage(job).newestValidBefore(step, now()) < step
        && !pin.message().contains(CANNOT)
        && !checkpoints.tornLately(job.key())) {
      broken(
          job.key(),
          Invariant.CRASH_LOOP,
          "recovery %s goes back to step %d, from which its gang has begun with a loss of NaN"
              .formatted(recovery.meta().key(), step));
    }
  }

  private Storage storage(JobObject job) {
    return world.gang(job.meta().uid()).training().storage();
  }
}
