package dev.rekindle.controller.recovery;

import dev.rekindle.api.CauseReason;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.diagnosis.Verdict;
import java.util.List;
import java.util.Optional;

/**
 * Recoveries that a leader created and did not live to write a status of: what is said of one when
 * the job, judged again, is not to be recovered. Only where nothing is the matter any more does it
 * say so: what is merely watched may need another recovery soon.
 */
final class UnstartedRecovery {
  /** Nothing is the matter, or nothing of our business. */
  static final String NONE = CauseReason.NONE.word();

  /** Something may be the matter, and time or the next reports decide. */
  static final String WATCHED = CauseReason.WATCHED.word();

  /** Something is the matter, and is left alone. */
  static final String REFUSED = CauseReason.REFUSED.word();

  private UnstartedRecovery() {}

  /** What the recovery is for, or what it says as it is cancelled; no verdict: no job. */
  static Cause cause(Optional<Verdict> verdict) {
    return verdict
        .map(
            v ->
                switch (v) {
                  case Verdict.NoAction(String why) -> cause(NONE, "the signal is gone: " + why);
                  case Verdict.SelfRecovered _ ->
                      cause(NONE, "the signal is gone: the job came back by itself");
                  case Verdict.Watch(String why, _) ->
                      cause(WATCHED, "no recovery is needed so far: " + why);
                  case Verdict.Refuse(_, String why) ->
                      cause(REFUSED, "no recovery is begun: " + why);
                  case Verdict.Recover(Cause wanted, _) -> wanted;
                })
        .orElseGet(() -> cause(NONE, "the signal is gone: there is no such job any more"));
  }

  private static Cause cause(String reason, String message) {
    return new Cause(reason, message, List.of(), List.of(), List.of(), List.of(), null);
  }
}
