package dev.rekindle.simulator.process;

import static java.util.stream.Collectors.toSet;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RecoveryView;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Controllers that are broken on purpose: they restart, call or store more than they may. */
public final class BrokenLimits {
  private BrokenLimits() {}

  /** 7: knows no budget. */
  public static Reconcilers.Factory withoutBudget() {
    return Distorted.seeingPolicies(p -> p.withMaxRestarts(1_000));
  }

  /** 7: forgets with each process what the processes before it have spent. */
  public static Reconcilers.Factory forgettingItsBudget() {
    return (state, gateway, clock, effects) -> {
      InstantSource since = InstantSource.fixed(clock.instant());
      Distortion bent =
          new Distortion(state, gateway) {
            @Override
            public List<RecoveryView> recoveries(JobKey key) {
              return super.recoveries(key).stream()
                  .filter(r -> r.open() || began(r).isAfter(since.instant()))
                  .toList();
            }
          };
      return Reconcilers.REAL.make(bent, bent, clock, effects);
    };
  }

  private static Instant began(RecoveryView recovery) {
    Instant at = recovery.spec().detectedAt();
    return at == null ? Instant.MIN : at;
  }

  /** 25: knows no limit of restarts. */
  public static Reconcilers.Factory deafToBackoffLimits() {
    return Distorted.seeingJobs(j -> j.withBackoffLimit(null));
  }

  /** 19: asks again and again, without a rest. */
  public static Reconcilers.Factory neverResting() {
    return (state, gateway, clock, effects) -> {
      Reconcilers real = Reconcilers.REAL.make(state, gateway, clock, effects);
      return new Reconcilers(
          key -> {
            var _ = gateway.livePods(key);
            var _ = real.jobs().reconcile(key);
            return Optional.of(Duration.ofMillis(20));
          },
          real.nodes());
    };
  }

  /** 19: deletes a pod again at each reconcile, four times a second, until it is gone. */
  public static Reconcilers.Factory deletingAgainAndAgain() {
    return (state, gateway, clock, effects) -> {
      Map<JobKey, Map<String, Runnable>> deletions = new HashMap<>();
      Distortion bent =
          new Distortion(state, gateway) {
            @Override
            public void deletePod(JobKey job, String pod, String uid, Duration grace) {
              deletions
                  .computeIfAbsent(job, _ -> new LinkedHashMap<>())
                  .put(uid, () -> super.deletePod(job, pod, uid, grace));
              super.deletePod(job, pod, uid, grace);
            }
          };
      Reconcilers real = Reconcilers.REAL.make(bent, bent, clock, effects);
      return new Reconcilers(
          key -> {
            Optional<Duration> next = real.jobs().reconcile(key);
            Set<String> there = state.pods(key).stream().map(PodView::uid).collect(toSet());
            Map<String, Runnable> again = deletions.getOrDefault(key, Map.of());
            again.keySet().retainAll(there);
            again.values().forEach(Runnable::run);
            return again.isEmpty() ? next : Optional.of(Duration.ofMillis(250));
          },
          real.nodes());
    };
  }

  /** 20: leaves a heap of objects behind. */
  public static Reconcilers.Factory neverTidying() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public RecoveryView save(RecoveryView recovery) {
                RecoveryView stored = super.save(recovery);
                for (int i = 0; i < 70 && !stored.open(); i++) {
                  var _ =
                      super.open(
                          new RecoveryView(
                              stored.namespace(),
                              stored.name() + "-copy-" + i,
                              "",
                              "",
                              stored.spec(),
                              null));
                }
                return stored;
              }
            });
  }

  /** 20: starts one more inspector each time it stops one, and leaves it. */
  public static Reconcilers.Factory leavingInspectors() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void stopInspector(JobKey job, String recovery) {
                super.stopInspector(job, recovery);
                String uid = state.job(job).map(JobView::uid).orElse("");
                for (int i = 0; i < 10 && !uid.isEmpty(); i++) {
                  var _ = super.startInspector(job, uid, recovery + "-" + i);
                }
              }
            });
  }
}
