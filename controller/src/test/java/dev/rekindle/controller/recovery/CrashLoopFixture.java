package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Evidence;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RestartWay;
import dev.rekindle.api.ResumeAttempt;
import dev.rekindle.api.ResumeResult;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Recoveries of one job, attempt by attempt. */
abstract class CrashLoopFixture {
  static PinnedCheckpoint pin(long step) {
    return new PinnedCheckpoint(CheckpointVerdict.VALID, "/ckpt/" + step, step, "L3", "");
  }

  static Cause cause(String reason, @Nullable Long reached, String node) {
    return new Cause(
        reason,
        reason + " at " + reached,
        List.of(new Evidence(node, "job-worker-1", "exit code 1")),
        List.of(),
        List.of(),
        List.of(),
        reached);
  }

  static RecoveryStatus open(Cause cause, ResumeAttempt... attempts) {
    return new RecoveryStatus(
            RecoveryPhase.PLANNING, T0, 1, null, cause, null, null, List.of(), List.of())
        .withResumes(List.of(attempts));
  }

  /** One that has brought the gang back from a checkpoint. */
  static RecoveryStatus trained(Cause cause, long step, ResumeAttempt... attempts) {
    Plan plan = new Plan(RestartWay.REBUILD, "", List.of(), List.of(), Map.of(), pin(step));
    Outcome outcome = new Outcome(step, step + 1, null, null, null, Map.of());
    return open(cause, attempts)
        .with(b -> b.phase(RecoveryPhase.RECOVERED).plan(plan).outcome(outcome));
  }

  static ResumeAttempt attempt(long step, ResumeResult result) {
    return new ResumeAttempt(1, step, null, null, result, result.word(), "node-2");
  }

  static final Cause FIRST = cause("PodFailed", 130L, "node-0");
}
