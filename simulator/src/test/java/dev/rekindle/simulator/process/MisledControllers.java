package dev.rekindle.simulator.process;

import dev.rekindle.controller.model.Annotations;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.port.ClusterState;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Controllers that are broken on purpose: misled by marks that are not theirs, or by clocks that
 * step.
 */
public final class MisledControllers {
  private static final String COPY = "-copy";

  private MisledControllers() {}

  /** 3: acts on a mark though it carries the UID of another job, as a copy of a job has it. */
  public static Reconcilers.Factory actingOnCopiedAnnotations() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Optional<JobView> job(JobKey key) {
                return super.job(key).map(j -> believing(state, j));
              }
            });
  }

  private static JobView believing(ClusterState state, JobView job) {
    String name = job.key().name();
    if (!job.copiedAnnotations().contains(Annotations.SUSPENDED_BY) || !name.endsWith(COPY)) {
      return job;
    }
    String of = name.substring(0, name.length() - COPY.length());
    return state.recoveries(new JobKey(job.key().namespace(), of)).stream()
        .map(RecoveryView::name)
        .findFirst()
        .map(by -> job.withSuspendedBy(by).withCopiedAnnotations(List.of()))
        .orElse(job);
  }

  /** 33: takes the word of any agent for any pod. */
  public static Reconcilers.Factory believingEveryReportOfSteps() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<RankView> ranks(JobKey job) {
                Map<String, String> nodes = new HashMap<>();
                super.pods(job).forEach(pod -> nodes.put(pod.uid(), pod.node()));
                return super.ranks(job).stream()
                    .map(r -> r.withNode(nodes.getOrDefault(r.podUid(), r.node())))
                    .toList();
              }
            });
  }

  /** 34: takes what ranks of another job request, and how far they are, for its own. */
  public static Reconcilers.Factory mixingUpReports() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<RankView> ranks(JobKey job) {
                List<RankView> own = super.ranks(job);
                List<PodView> pods = super.pods(job);
                if (pods.isEmpty()) {
                  return own;
                }
                PodView pod = pods.getFirst();
                JobKey other =
                    new JobKey(job.namespace(), job.name().equals("job-0") ? "job-1" : "job-0");
                return Stream.concat(
                        own.stream(),
                        super.ranks(other).stream()
                            .map(
                                rank ->
                                    rank.with(
                                        b ->
                                            b.job(job)
                                                .pod(pod.name())
                                                .podUid(pod.uid())
                                                .node(pod.node())
                                                .restartCount(pod.restarts()))))
                    .toList();
              }
            });
  }

  /** 21: reconciles again when its wall clock says so, which may have been an hour ahead. */
  public static Reconcilers.Factory schedulingByTheWallClock() {
    return (state, gateway, clock, effects) -> {
      Reconcilers real = Reconcilers.REAL.make(state, gateway, clock, effects);
      Map<JobKey, Instant> reconciled = new HashMap<>();
      return new Reconcilers(
          key -> {
            Instant now = clock.instant();
            Instant before = reconciled.getOrDefault(key, now);
            if (now.isBefore(before)) {
              return Optional.of(Duration.between(now, before));
            }
            reconciled.put(key, now);
            return real.jobs().reconcile(key);
          },
          real.nodes());
    };
  }
}
