package dev.rekindle.simulator.process;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RecoveryView;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Controllers to which one kind of view, or of write, is bent. */
final class Distorted {
  private Distorted() {}

  /** A controller that sees other jobs than there are. */
  static Reconcilers.Factory seeingJobs(UnaryOperator<JobView> as) {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Optional<JobView> job(JobKey key) {
                return super.job(key).map(as);
              }
            });
  }

  /** A controller that sees other pods of a job than there are. */
  static Reconcilers.Factory seeingPods(UnaryOperator<PodView> as) {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<PodView> pods(JobKey key) {
                return super.pods(key).stream().map(as).toList();
              }
            });
  }

  /** A controller that sees other reports on ranks than there are. */
  static Reconcilers.Factory seeingRanks(UnaryOperator<RankView> as) {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<RankView> ranks(JobKey key) {
                return super.ranks(key).stream().map(as).toList();
              }
            });
  }

  /** A controller that sees other policies than there are. */
  static Reconcilers.Factory seeingPolicies(UnaryOperator<Policy> as) {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Optional<Policy> policy(String name) {
                return super.policy(name).map(as);
              }
            });
  }

  /** A controller that writes no events of that reason. */
  static Reconcilers.Factory silentAbout(Reason reason) {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void recordEvent(ClusterEvent event) {
                if (event.reason() != reason) {
                  super.recordEvent(event);
                }
              }
            });
  }

  /** A controller that stores another status than it has decided. */
  static Reconcilers.Factory saving(UnaryOperator<RecoveryStatus> as) {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public RecoveryView save(RecoveryView recovery) {
                RecoveryStatus status = recovery.status();
                return super.save(status == null ? recovery : recovery.with(as.apply(status)));
              }
            });
  }

  /** A controller that stores another outcome than it has found. */
  static Reconcilers.Factory savingOutcomes(UnaryOperator<Outcome> as) {
    return saving(
        status -> {
          Outcome outcome = status.outcome();
          return outcome == null ? status : status.withOutcome(as.apply(outcome));
        });
  }
}
