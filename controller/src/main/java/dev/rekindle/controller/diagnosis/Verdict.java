package dev.rekindle.controller.diagnosis;

import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.Reason;
import java.time.Instant;

/** What follows for a job. */
public sealed interface Verdict {
  /** Nothing is wrong, or nothing of our business. */
  record NoAction(String why) implements Verdict {}

  /** Something may be wrong; the facts decide by {@code until}, or nothing does. */
  record Watch(String why, Instant until) implements Verdict {}

  /** The job is in trouble and is left alone for a reason its owner should hear. */
  record Refuse(Reason reason, String message) implements Verdict {}

  /**
   * Containers ended, and the kubelets alone have brought the whole gang back: nothing is to be
   * done, but it is to be reported.
   *
   * @param ended when the first of them ended
   * @param firstStep first step made since
   * @param trains when that was
   */
  record SelfRecovered(Cause cause, Instant ended, long firstStep, Instant trains)
      implements Verdict {}

  /** The job needs a recovery. */
  record Recover(Cause cause, JobView.Mode mode) implements Verdict {}
}
