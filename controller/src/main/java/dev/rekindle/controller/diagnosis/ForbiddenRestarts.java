package dev.rekindle.controller.diagnosis;

import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Reason;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Exit codes by which a launcher forbids a restart. */
final class ForbiddenRestarts {
  private ForbiddenRestarts() {}

  /**
   * A launcher that has given up: its own rules have found that a restart does not help. It holds
   * until the gang makes a step after that.
   */
  static Optional<Verdict> neverRestart(JobSnapshot s) {
    Instant stepped = GangProgress.of(s.pods(), s.ranks()).lastStepTime();
    return s.pods().stream()
        .filter(p -> asksNeverToBeRestarted(p.failure()) && isNewest(p, stepped))
        .findFirst()
        .map(
            p ->
                new Verdict.Refuse(
                    Reason.RESTART_FORBIDDEN,
                    "pod %s ended with exit code %d: its launcher asks never to be restarted"
                        .formatted(p.name(), PodView.Failure.NEVER_RESTART)));
  }

  private static boolean asksNeverToBeRestarted(PodView.@Nullable Failure failure) {
    return failure != null && failure.hasExitCode(PodView.Failure.NEVER_RESTART);
  }

  private static boolean isNewest(PodView pod, @Nullable Instant stepped) {
    Instant exit = pod.lastExit();
    return !pod.live() || stepped == null || (exit != null && exit.plusSeconds(1).isAfter(stepped));
  }
}
