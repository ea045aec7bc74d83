package dev.rekindle.simulator.process;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.Scorecard;
import dev.rekindle.api.ShadowAction;
import dev.rekindle.api.ShadowVerdict;
import dev.rekindle.api.TimelineEntry;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RecoveryView;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

/**
 * Controllers that are broken on purpose: their recoveries begin, go on or end as they should not.
 */
public final class BrokenRecoveries {
  private BrokenRecoveries() {}

  /** 1: resumes as soon as it has suspended, without waiting for the pods to be gone. */
  public static Reconcilers.Factory withoutDrain() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<PodView> pods(JobKey key) {
                boolean drains = state.job(key).filter(j -> j.suspended()).isPresent();
                return drains ? List.of() : super.pods(key);
              }

              @Override
              public List<PodView> livePods(JobKey key) {
                return List.of();
              }
            });
  }

  /** 2: gives up in the middle, and takes what it has suspended for its user's. */
  public static Reconcilers.Factory givingUpWhileSuspended() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public RecoveryView save(RecoveryView recovery) {
                RecoveryStatus s = recovery.status();
                return super.save(
                    s != null && s.phase() == RecoveryPhase.PLANNING
                        ? recovery.with(over(inPhase(s, RecoveryPhase.CANCELLED)))
                        : recovery);
              }

              @Override
              public Optional<JobView> job(JobKey key) {
                boolean open = state.recoveries(key).stream().anyMatch(RecoveryView::open);
                return super.job(key).map(j -> open ? j : j.withSuspendedBy(""));
              }
            });
  }

  private static RecoveryStatus inPhase(RecoveryStatus s, RecoveryPhase phase) {
    return s.with(b -> b.phase(phase).heldFrom(null));
  }

  /** What it says of itself is that it is over, so that nothing else is wrong with it. */
  private static RecoveryStatus over(RecoveryStatus s) {
    List<TimelineEntry> timeline = new ArrayList<>(s.timeline());
    TimelineEntry last = timeline.removeLast();
    timeline.add(new TimelineEntry(Objects.requireNonNull(s.phase()), last.time(), last.detail()));
    List<Condition> conditions =
        s.conditions().stream()
            .map(
                c ->
                    switch (c.getType()) {
                      case "Complete" -> new ConditionBuilder(c).withStatus("True").build();
                      case "Progressing" -> new ConditionBuilder(c).withStatus("False").build();
                      default -> c;
                    })
            .toList();
    return s.with(b -> b.timeline(timeline).conditions(conditions));
  }

  /** 17: deletes pods of jobs that it has not suspended. */
  public static Reconcilers.Factory deletingWithoutSuspending() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void suspend(JobKey job, String uid, String recovery, String attempt) {
                // Left out.
              }
            });
  }

  /** 17: takes each suspension for seen by the operator. */
  public static Reconcilers.Factory takingSuspensionsForSeen() {
    return Distorted.seeingJobs(j -> j.withSuspensionSeen(true));
  }

  /** 8: takes every checkpoint for complete. */
  public static Reconcilers.Factory trustingEveryCheckpoint() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Inspection inspect(JobKey job, String recovery) {
                return super.inspect(job, recovery) instanceof Inspection.Report report
                    ? new Inspection.Report(
                        report.scan(),
                        report.checkpoints().stream().map(BrokenRecoveries::valid).toList(),
                        report.error())
                    : super.inspect(job, recovery);
              }
            });
  }

  private static Inspection.Checkpoint valid(Inspection.Checkpoint c) {
    return new Inspection.Checkpoint(
        c.path(), c.step(), c.bytes(), c.modified(), "valid", c.level(), "");
  }

  /** 8: passes over the newest checkpoint without a reason. */
  public static Reconcilers.Factory passingOverTheNewestCheckpoint() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Inspection inspect(JobKey job, String recovery) {
                Inspection now = super.inspect(job, recovery);
                return now instanceof Inspection.Report(long scan, var found, String error, _, _, _)
                        && found.size() > 1
                    ? new Inspection.Report(scan, found.subList(1, found.size()), error)
                    : now;
              }
            });
  }

  /** 9: takes the last recovery up again when it is over. */
  public static Reconcilers.Factory takingUpWhatIsOver() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<RecoveryView> recoveries(JobKey key) {
                return super.recoveries(key).stream().map(BrokenRecoveries::goingOn).toList();
              }
            });
  }

  private static RecoveryView goingOn(RecoveryView recovery) {
    RecoveryStatus s = recovery.status();
    return s != null && s.phase() == RecoveryPhase.RECOVERED
        ? recovery.with(inPhase(s, RecoveryPhase.DRAINING))
        : recovery;
  }

  /** 10: never gets to the end of a recovery. */
  public static Reconcilers.Factory neverEnding() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public RecoveryView save(RecoveryView recovery) {
                RecoveryStatus s = recovery.status();
                if (s != null && s.phase() != null && s.phase().isTerminal()) {
                  throw new StaleException("not yet");
                }
                return super.save(recovery);
              }
            });
  }

  /** 26: reconciles twice before its first recovery of a job, and then sees nothing of the job. */
  public static Reconcilers.Factory blindToItsFirstLook() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              private boolean unbegun(JobKey key) {
                return state.recoveries(key).stream().anyMatch(r -> r.open() && r.status() == null);
              }

              @Override
              public RecoveryView open(RecoveryView draft) {
                boolean first = state.recoveries(draft.job()).isEmpty();
                RecoveryView created = super.open(draft);
                if (first) {
                  throw new StaleException("look again");
                }
                return created;
              }

              @Override
              public Optional<JobView> job(JobKey key) {
                return unbegun(key) ? Optional.empty() : super.job(key);
              }
            });
  }

  /** 23: takes every pod for a Ready one. */
  public static Reconcilers.Factory takingEveryPodForReady() {
    return Distorted.seeingPods(p -> p.withReady(true));
  }

  /** 24: takes each report for a step. */
  public static Reconcilers.Factory takingReportsForSteps() {
    return Distorted.seeingRanks(r -> r.withLastStepTime(r.observedTime()));
  }

  /** 16: knows of its scores only what it has counted itself. */
  public static Reconcilers.Factory forgettingItsScores() {
    return (state, gateway, clock, effects) -> {
      AtomicReference<Scorecard> own = new AtomicReference<>(Scorecard.NONE);
      Distortion bent =
          new Distortion(state, gateway) {
            @Override
            public Scorecard scorecard(String policy) {
              return own.get();
            }

            @Override
            public void score(String policy, UnaryOperator<Scorecard> change) {
              own.updateAndGet(change);
              super.score(policy, _ -> own.get());
            }
          };
      return Reconcilers.REAL.make(bent, bent, clock, effects);
    };
  }

  /** 21: sees no node that is free. */
  public static Reconcilers.Factory blindToRoom() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<NodeView> nodes() {
                return super.nodes().stream().map(n -> n.withGpus(0)).toList();
              }
            });
  }

  /** 29: forgets what its attempts came to, and tries the same checkpoint for ever. */
  public static Reconcilers.Factory forgettingItsAttempts() {
    return Distorted.saving(s -> s.withResumes(List.of()));
  }

  /** 24: takes right for wrong where it judges a fence. */
  public static Reconcilers.Factory swappingVerdicts() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void score(String policy, UnaryOperator<Scorecard> change) {
                super.score(policy, card -> swapped(card, change.apply(card)));
              }
            });
  }

  private static Scorecard swapped(Scorecard before, Scorecard after) {
    List<Scorecard.Entry> entries =
        after.recent().stream().map(e -> before.recent().contains(e) ? e : swapped(e)).toList();
    Scorecard.Tally was = before.fences();
    Scorecard.Tally now = after.fences();
    Scorecard.Tally fences =
        new Scorecard.Tally(
            now.would(),
            was.right() + now.wrong() - was.wrong(),
            was.wrong() + now.right() - was.right(),
            now.unknown());
    return new Scorecard(after.since(), fences, after.restarts(), entries);
  }

  private static Scorecard.Entry swapped(Scorecard.Entry e) {
    if (e.what() != ShadowAction.FENCE) {
      return e;
    }
    ShadowVerdict other =
        switch (e.verdict()) {
          case RIGHT -> ShadowVerdict.WRONG;
          case WRONG -> ShadowVerdict.RIGHT;
          case OPEN, UNKNOWN -> e.verdict();
        };
    return new Scorecard.Entry(
        e.what(), e.subject(), e.uid(), e.reason(), e.time(), other, e.then(), e.judged());
  }
}
