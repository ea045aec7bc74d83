package dev.rekindle.controller.cli;

import dev.rekindle.api.ComeBacks;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.api.TrainingTime;
import dev.rekindle.detect.policy.RecoveryLoss;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What one Recovery says of its cost. The figures are those that the controller has written into
 * its outcome; none is worked out again.
 *
 * @param at when it was detected; where kubelets alone brought the gang back, the last time
 * @param blamed nodes that its cause names as faulty or silent
 * @param gang nodes of the gang, as far as the object names them
 * @param times how often it happened: more than once only where kubelets alone brought it back
 * @param downtimeSeconds from the detection to the first new step; absent where it made none
 * @param gpuSeconds lost, all times together; absent where it is not known
 * @param time where the time of the job went; absent where nothing was done
 */
record ReportedRecovery(
    String namespace,
    String job,
    String jobUid,
    @Nullable Instant at,
    String cause,
    List<String> blamed,
    List<String> gang,
    @Nullable RecoveryPhase phase,
    int times,
    @Nullable Double downtimeSeconds,
    @Nullable Double gpuSeconds,
    @Nullable TrainingTime time) {

  static ReportedRecovery of(ListedRecovery recovery) {
    var status = Optional.ofNullable(recovery.status());
    Optional<Outcome> outcome = status.map(RecoveryStatus::outcome);
    Optional<ComeBacks> backs = status.map(RecoveryStatus::comeBacks);
    RecoveryLoss loss = RecoveryLoss.of(recovery.status());
    return new ReportedRecovery(
        recovery.namespace(),
        recovery.spec().job(),
        recovery.spec().jobUid(),
        backs
            .map(ComeBacks::last)
            .or(() -> Optional.ofNullable(recovery.spec().detectedAt()))
            .orElse(recovery.created()),
        status.map(RecoveryStatus::cause).map(Cause::reason).orElse(""),
        loss.blamed(),
        loss.gang(),
        recovery.phase().orElse(null),
        loss.times(),
        outcome.map(Outcome::downtimeSeconds).orElse(null),
        loss.gpuSeconds(),
        outcome.map(Outcome::time).orElse(null));
  }

  boolean open() {
    return phase == null || !phase.isTerminal();
  }
}
