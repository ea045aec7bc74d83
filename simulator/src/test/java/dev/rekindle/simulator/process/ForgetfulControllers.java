package dev.rekindle.simulator.process;

import dev.rekindle.api.CauseReason;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.Scorecard;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.ResumeOrder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Controllers that are broken on purpose: they forget to say, to ask or to clear something, or what
 * was asked of them.
 */
public final class ForgetfulControllers {
  private static final Duration LONG = Duration.ofSeconds(100);

  private ForgetfulControllers() {}

  /** 57: does not say that a recovery is held. */
  public static Reconcilers.Factory silentAboutHolds() {
    return silentAbout(Reason.RECOVERY_HELD);
  }

  /** 57: does not say that an annotation makes no sense. */
  public static Reconcilers.Factory silentAboutAnnotations() {
    return silentAbout(Reason.INVALID_ANNOTATION);
  }

  private static Reconcilers.Factory silentAbout(Reason reason) {
    return Distorted.silentAbout(reason);
  }

  /** 66: says nothing of what another process has stored. */
  public static Reconcilers.Factory silentAboutItsPredecessor() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void recordEventOnce(ClusterEvent event, Instant at) {}
            });
  }

  /** 58: does not hear what a launcher requests as it ends. */
  public static Reconcilers.Factory deafToLaunchers() {
    return Distorted.seeingPods(ForgetfulControllers::withoutCode);
  }

  private static PodView withoutCode(PodView pod) {
    PodView.Failure failure = pod.failure();
    return failure == null
        ? pod
        : pod.withFailure(
            new PodView.Failure(failure.kind(), failure.cannotStart(), failure.message()));
  }

  /** 59: requests the resumption of a job a minute and a half after it first wanted it. */
  public static Reconcilers.Factory resumingLate() {
    return (state, gateway, clock, effects) -> {
      Map<String, Instant> wanted = new HashMap<>();
      Distortion bent =
          new Distortion(state, gateway) {
            @Override
            public void resume(JobKey job, String uid, ResumeOrder order) {
              Instant first = wanted.computeIfAbsent(order.attempt(), _ -> clock.instant());
              if (first.plus(LONG).isBefore(clock.instant())) {
                super.resume(job, uid, order);
              }
            }
          };
      return Reconcilers.REAL.make(bent, bent, clock, effects);
    };
  }

  /** 16: writes what it would do down once more while that is open. */
  public static Reconcilers.Factory writingTwice() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void score(String policy, UnaryOperator<Scorecard> change) {
                super.score(policy, card -> withTheLastTwice(card, change.apply(card)));
              }
            });
  }

  private static Scorecard withTheLastTwice(Scorecard before, Scorecard after) {
    if (after.fences().would() != before.fences().would() + 1) {
      return after;
    }
    List<Scorecard.Entry> recent = new ArrayList<>(after.recent());
    recent.add(recent.getLast());
    Scorecard.Tally f = after.fences();
    Scorecard.Tally more = new Scorecard.Tally(f.would() + 1, f.right(), f.wrong(), f.unknown());
    return new Scorecard(after.since(), more, after.restarts(), recent);
  }

  /** 37: does not see that somebody has cordoned a node. */
  public static Reconcilers.Factory blindToCordons() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<NodeView> nodes() {
                return super.nodes().stream()
                    .map(n -> n.fencedByUs() ? n : n.withUnschedulable(false))
                    .toList();
              }
            });
  }

  /** 38: never clears what is over. */
  public static Reconcilers.Factory clearingNothing() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void clear(String fault, String by) {}
            });
  }

  /** 75: blames whichever Node has the name of the one that has fallen silent. */
  public static Reconcilers.Factory blamingNodesOfTheSameName() {
    return (state, gateway, clock, effects) -> {
      Distortion bent =
          new Distortion(state, gateway) {
            @Override
            public void recordIncident(String node, String by, Instant at) {
              super.recordIncident(node, by, clock.instant());
            }
          };
      return Reconcilers.REAL.make(bent, bent, clock, effects);
    };
  }

  /** 48, 71, 72: lets a gang go to any node: where it has stood or crashed, and off its disk. */
  public static Reconcilers.Factory avoidingNothing() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void resume(JobKey job, String uid, ResumeOrder o) {
                super.resume(
                    job,
                    uid,
                    new ResumeOrder(
                        o.recovery(),
                        o.attempt(),
                        o.excludedHostnames(),
                        List.of(),
                        o.preferredTopology(),
                        List.of(),
                        o.resumeFrom(),
                        o.resumeStep(),
                        o.resumeFormat(),
                        o.reason()));
              }
            });
  }

  /** 26: says that nothing is the matter with a job whose containers have ended. */
  public static Reconcilers.Factory closingItsEyes() {
    return Distorted.saving(
        status -> {
          Cause cause = status.cause();
          return cause != null && cause.reason().equals(CauseReason.CONTAINER_ENDED.word())
              ? status.withPhase(RecoveryPhase.CANCELLED).withCause(over(cause))
              : status;
        });
  }

  private static Cause over(Cause cause) {
    return new Cause("None", cause.message(), List.of(), List.of(), List.of(), List.of(), null);
  }
}
