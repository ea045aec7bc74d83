package dev.rekindle.testbed.fidelity;

import java.time.Duration;
import java.util.List;

/** All scenarios. Their pods ignore SIGTERM unless a scenario says otherwise. */
final class Scenarios {
  /**
   * When a node answers again, its taint NoSchedule goes at once, and NoExecute with the next pass
   * of the node lifecycle controller, 5 s later or more. A pod that tolerates the latter is bound
   * in between, and evicted once more where it tolerates it for a shorter time than that.
   */
  private static final Duration TOLERATION = Duration.ofSeconds(15);

  private Scenarios() {}

  /** Those that take longest first. */
  static List<Scenario> all() {
    return List.of(
        Scenario.of("node-hangs-and-returns", NodeScenarios::nodeHangsAndReturns).onALoneNode(),
        Scenario.of("kubelet-hangs-and-returns", NodeScenarios::kubeletHangs).onALoneNode(),
        Scenario.of("node-hangs-past-toleration", NodeScenarios::nodeHangsPastToleration)
            .onALoneNode()
            .tolerating(TOLERATION),
        Scenario.of("pod-deleted-while-node-hangs", NodeScenarios::deletedWhileFrozen)
            .onALoneNode(),
        Scenario.of("gpus-run-out", NodeScenarios::gpusRunOut).onALoneNode(1),
        Scenario.of("node-excluded", NodeScenarios::nodeExcluded).onALoneNode(),
        Scenario.of("killed-under-on-failure", ExitScenarios::killedUnderOnFailure),
        Scenario.of("suspend-and-resume", SuspensionScenarios::suspendAndResume),
        Scenario.of("never-deleted-fails-and-is-revived", DeletionScenarios::neverDeleted),
        Scenario.of("exit-code-1-fails-and-is-revived", ExitScenarios::exitCodeOne),
        Scenario.of("never-suspend-and-resume", SuspensionScenarios::neverSuspendAndResume),
        Scenario.of("one-pod-deleted", DeletionScenarios::onePodDeleted),
        Scenario.of("all-pods-deleted", DeletionScenarios::allPodsDeleted),
        Scenario.of("resume-too-early", SuspensionScenarios::resumeTooEarly),
        Scenario.of("never-resume-too-early", SuspensionScenarios::neverResumeTooEarly),
        Scenario.of("second-deletion-shorter", DeletionScenarios::secondDeletionShorter),
        Scenario.of("second-deletion-longer", DeletionScenarios::secondDeletionLonger),
        Scenario.of("second-deletion-forced", DeletionScenarios::secondDeletionForced),
        Scenario.of("grace-of-one-second", DeletionScenarios::graceOfOneSecond),
        Scenario.of("forced-on-a-healthy-node", DeletionScenarios::forcedOnAHealthyNode),
        Scenario.of("preconditions", DeletionScenarios::preconditions),
        Scenario.of("killed-under-exit-code", ExitScenarios::killedUnderExitCode),
        Scenario.of("killed-under-never", ExitScenarios::killedUnderNever),
        Scenario.of("exit-code-0-under-always", ExitScenarios::exitCodeZeroUnderAlways),
        Scenario.of("exit-code-0-of-a-worker", ExitScenarios::workerSucceeds),
        Scenario.of(
            "never-suspend-and-capped-deletions", SuspensionScenarios::neverSuspendAndDelete),
        Scenario.of("job-deleted", DeletionScenarios::jobDeleted),
        Scenario.of("no-node-matches", NodeScenarios::noNodeMatches),
        Scenario.of("finalizer-holds-a-pod", DeletionScenarios::finalizer),
        Scenario.of("attempt-on-new-pods-only", NodeScenarios::attemptOnNewPods),
        Scenario.of("master-succeeds", ExitScenarios::masterSucceeds),
        Scenario.of("suspend-processes-that-heed", SuspensionScenarios::suspendHeeding).heeding());
  }
}
