package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.attemptId;
import static dev.rekindle.controller.recovery.Transitions.cause;
import static dev.rekindle.controller.recovery.Transitions.status;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.api.StallFinding;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RestartView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Before a stalled gang is rebuilt its agents inspect its ranks, as they do before they freeze one
 * that is restarted in place.
 *
 * <p>Guarantees: it takes at most {@link #LIMIT}, whatever agents and the API server do, and ends
 * with a finding in the cause, if only that nothing was found; nothing is held for it. A gang whose
 * dumps show that it trains is left alone, and so is one that waits for a rank that compiles.
 */
final class RankInspection {
  /** What agents take at most, an order that is seen late, and a report that is. */
  static final Duration LIMIT = RankEvidence.LIMIT.plusSeconds(4);

  /** Agents that come to a stale order need not inspect them any more. */
  private static final Duration VALID = LIMIT.multipliedBy(4);

  private static final StallFinding NOTHING =
      StallFindings.nothing("no agent has reported on its ranks");

  private RankInspection() {}

  /** The next step until a finding is kept; empty where none is to be waited for. */
  static Optional<Decision> decide(RecoverySnapshot s, JobView job, Policy policy, Instant now) {
    if (!StallFindings.wanted(s)
        || cause(s).stall() != null
        || status(s).attempt() > 1
        || job.suspended()
        || job.finish() == Finish.FAILED
        || s.pods().stream().noneMatch(RankInspection::runs)
        || (s.order() != null && s.order().spec().instruction() != RestartInstruction.LOOK)) {
      return Optional.empty();
    }
    Optional<EffectFailure> refused = s.failures().of(CallKind.ORDER, now);
    if (refused.isPresent()) {
      return Optional.of(keep(s, StallFindings.nothing(refused.get().describe()), now));
    }
    boolean overdue = Transitions.inPhase(s, now).compareTo(LIMIT) > 0;
    if (s.order() == null && !overdue) {
      return Optional.of(new Decision.Act(List.of(order(s, job, now)), Transitions.SOON));
    }
    if (answered(s)) {
      StallFinding finding = StallFindings.of(s).orElse(NOTHING);
      return Optional.of(
          StallFindings.leftAlone(s, job, finding, policy, now)
              ? StallFindings.cancelled(s, finding, now)
              : keep(s, finding, now));
    }
    if (overdue) {
      return Optional.of(keep(s, StallFindings.soFar(s).orElse(NOTHING), now));
    }
    Duration left = LIMIT.minus(Transitions.inPhase(s, now)).plusMillis(50);
    return Optional.of(new Decision.Wait("the agents inspect the ranks", left));
  }

  private static boolean runs(PodView pod) {
    return pod.live() && !pod.node().isEmpty() && !pod.terminating();
  }

  /** Whether the agents of all nodes have inspected them, or cannot. */
  private static boolean answered(RecoverySnapshot s) {
    Set<String> heard =
        NodeReports.of(s.pods(), s.reports()).stream()
            .map(RestartView::spec)
            .filter(spec -> spec.done() != null || !spec.problem().isEmpty())
            .map(RestartReportSpec::node)
            .collect(Collectors.toSet());
    return s.order() != null
        && s.pods().stream()
            .filter(RankInspection::runs)
            .map(PodView::node)
            .allMatch(heard::contains);
  }

  private static Effect order(RecoverySnapshot s, JobView job, Instant now) {
    return new Effect.Order(
        attemptId(s),
        new RestartOrderSpec(
            JobRef.pyTorchJob(job.key().name(), job.uid()),
            s.recovery().name(),
            RestartInstruction.LOOK,
            "",
            now.plus(VALID),
            s.pods().stream().map(PodView::created).max(Instant::compareTo).orElse(null),
            true,
            null));
  }

  /** Writes the finding down, and announces it. */
  static Decision keep(RecoverySnapshot s, StallFinding finding, Instant now) {
    String detail =
        finding.named()
            ? "inspected the ranks" + StallFindings.awaited(finding)
            : "inspected the ranks; none is named";
    return new Decision.Move(
        RecoveryStatusBuilder.withDetail(status(StallFindings.kept(s, finding)), detail, now),
        List.of(StallFindings.note(finding)));
  }
}
