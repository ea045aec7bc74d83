package dev.rekindle.simulator.world;

import dev.rekindle.api.LoggedSaves;
import dev.rekindle.api.RankReportStatus.Loss;
import dev.rekindle.api.RankReportStatus.Pace;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.PodView.Phase;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.simulator.api.Meta;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What node agents say of how far the ranks on their nodes have come. */
final class RankReporters {
  private static final Duration WHILE_STANDING = Duration.ofSeconds(5);

  private final World world;
  private final Map<String, Integer> turns = new HashMap<>();

  /** By UID of the job: the beginning of the steady training that every rank has reported. */
  private final Map<String, Instant> allReportedSince = new HashMap<>();

  /** By UID of the pod: what its log has said of the loss. */
  private final Map<String, Losses> losses = new HashMap<>();

  /**
   * What an agent remembers of a log.
   *
   * @param restarts of the container: which run it is
   * @param newest what its newest line says; absent where none names a loss
   * @param before the number that the run before ended with; absent where that was none
   */
  private record Losses(int restarts, @Nullable Loss newest, @Nullable Double before) {}

  /** By UID of the pod: what its log has said of its steps and saves. */
  private final Map<String, Printed> printed = new HashMap<>();

  /** The same of one run. */
  private record Printed(int restarts, @Nullable Pace pace, @Nullable LoggedSaves saves) {}

  RankReporters(World world) {
    this.world = world;
  }

  /**
   * Every agent reports on the ranks of a job on its node, again and again: as often as configured
   * while steps are made, at least every few seconds while they are not. Where reports are rare,
   * for long runs, one rank reports for all once each has reported.
   */
  void follow(Gang gang, JobObject job) {
    follow(gang, job, turns.merge(job.meta().uid(), 1, Integer::sum));
  }

  private void follow(Gang gang, JobObject job, int turn) {
    Duration period = world.timing().report();
    boolean often = !gang.training().moving() && reportsAreRare();
    world
        .loop()
        .after(
            world.jitter(often ? WHILE_STANDING : period),
            () -> {
              JobObject now = world.jobs().find(job.meta().key()).orElse(null);
              if (now == null
                  || !now.meta().uid().equals(job.meta().uid())
                  || turn != turns.getOrDefault(job.meta().uid(), 0)) {
                return;
              }
              if (now.optIn() instanceof OptIn.Yes) {
                report(gang, now);
              }
              follow(gang, now, turn);
            });
  }

  private void report(Gang gang, JobObject job) {
    String uid = job.meta().uid();
    Instant since = gang.training().movingSince().orElse(null);
    boolean known =
        since != null
            && since.equals(allReportedSince.get(uid))
            && reportsAreRare()
            && !world.agentLies().active()
            && areThere(job);
    boolean all = true;
    for (PodObject pod : world.podsOf(job)) {
      boolean answers =
          pod.status().phase() == Phase.RUNNING && world.nodeAgents().answers(pod.node());
      all &= answers;
      if (answers) {
        report(gang, job, pod);
        if (known && !isUnread(gang, pod)) {
          // All move together: one rank reports what the others would.
          return;
        }
      }
    }
    // An agent that was away has yet to say what it sees (seed 79044094).
    if (since != null && all) {
      allReportedSince.put(uid, since);
    }
  }

  /** An agent writes a deleted report again (seed 94708193). */
  private boolean areThere(JobObject job) {
    return world.podsOf(job).stream()
        .allMatch(pod -> world.ranks().find(pod.meta().key()).isPresent());
  }

  /** Whether what the pod prints goes unread: another one speaks for all then. */
  private static boolean isUnread(Gang gang, PodObject pod) {
    RankProcess process = gang.processes().find(pod.meta().uid());
    return process != null && process.read != null;
  }

  /**
   * Training has come to a stand: agents poll more often. Where reports are rare, one is made up
   * for that an agent would have written a moment ago.
   */
  void stands(JobKey key) {
    world.jobs().find(key.toString()).ifPresent(this::stands);
  }

  private void stands(JobObject job) {
    Gang gang = world.gang(job.meta().uid());
    if (reportsAreRare() && job.optIn() instanceof OptIn.Yes) {
      world.podsOf(job).stream()
          .filter(pod -> pod.status().phase() == Phase.RUNNING)
          .filter(pod -> world.nodeAgents().answers(pod.node()))
          .filter(pod -> gang.processes().find(pod.meta().uid()) != null)
          .findFirst()
          .ifPresent(pod -> report(gang, job, pod));
    }
    follow(gang, job);
  }

  /** A script has requested a restart: its agent reports it at once. */
  void restartAsked(JobKey key) {
    world
        .jobs()
        .find(key.toString())
        .filter(job -> job.optIn() instanceof OptIn.Yes)
        .ifPresent(job -> report(world.gang(job.meta().uid()), job));
  }

  private boolean reportsAreRare() {
    return world.timing().report().compareTo(WHILE_STANDING) > 0;
  }

  private void report(Gang gang, JobObject job, PodObject pod) {
    RankProcess process = gang.processes().find(pod.meta().uid());
    RankProgress progress = gang.training().printed(process);
    String key = pod.meta().key();
    RankObject before = world.ranks().find(key).orElse(null);
    if (process == null && before != null && isOfSameRun(before, pod)) {
      // Its container has ended, and the agent keeps what it has seen of it.
      world.ranks().patch(key, r -> new RankObject(r.meta(), seenAgain(r.view())));
      return;
    }
    Printed printed = printed(gang, process, pod);
    RankView view =
        new RankView(
            job.key(),
            pod.meta().name(),
            pod.meta().uid(),
            pod.node(),
            pod.status().restarts(),
            progress.first(),
            progress.last(),
            progress.firstTime(),
            progress.lastTime(),
            world.now(),
            process == null ? null : process.asked,
            printed.pace(),
            false,
            false,
            gang.loadError(pod.meta().uid()),
            withBefore(pod, gang.training().loss(process)),
            printed.saves(),
            process == null ? null : RankNetworks.lines(process));
    RankView written = world.agentLies().of(view);
    gang.training().reported(process);
    if (before != null && !before.meta().owner().equals(pod.meta().uid())) {
      world.ranks().remove(key, before.meta().uid());
      before = null;
    }
    if (before == null) {
      world
          .ranks()
          .create(
              new RankObject(
                  Meta.draft(job.key().namespace(), pod.meta().name(), pod.meta().uid()), written));
    } else {
      world.ranks().patch(key, r -> new RankObject(r.meta(), written));
    }
  }

  private Printed printed(Gang gang, @Nullable RankProcess process, PodObject pod) {
    int restarts = pod.status().restarts();
    Pace pace = gang.training().pace(process);
    LoggedSaves saves = gang.training().saves(process);
    Printed last = printed.get(pod.meta().uid());
    Printed now =
        last == null || last.restarts() != restarts
            ? new Printed(restarts, pace, saves)
            : new Printed(
                restarts,
                pace == null ? standing(last.pace(), gang.training().printed(process)) : pace,
                saves == null ? last.saves() : saves);
    printed.put(pod.meta().uid(), now);
    return now;
  }

  /** The same pace, of which the agent sees no further step since. */
  private @Nullable Pace standing(@Nullable Pace pace, RankProgress progress) {
    Instant last = progress.lastTime();
    return pace == null || last == null
        ? null
        : new Pace(
            pace.intervals(),
            pace.ofThisRun(),
            pace.p99Millis(),
            pace.longestMillis(),
            pace.trainedSeconds(),
            Duration.between(last, world.now()).toSeconds(),
            false);
  }

  /** The agent has read the run before as well, as far as it was there to read. */
  private @Nullable Loss withBefore(PodObject pod, @Nullable Loss loss) {
    int restarts = pod.status().restarts();
    Losses now =
        Objects.requireNonNull(
            losses.compute(
                pod.meta().uid(),
                (_, last) -> {
                  if (last == null || last.restarts() == restarts) {
                    return new Losses(
                        restarts,
                        loss == null && last != null ? last.newest() : loss,
                        last == null ? null : last.before());
                  }
                  Loss ended = last.newest();
                  return new Losses(
                      restarts,
                      loss,
                      ended == null || ended.notFinite() > 0 ? null : ended.value());
                }));
    // What a rank has printed is known while it waits for the others (seed 94832529).
    Loss newest = now.newest();
    return newest == null ? null : new Loss(newest.value(), newest.notFinite(), now.before());
  }

  private static boolean isOfSameRun(RankObject report, PodObject pod) {
    return report.meta().owner().equals(pod.meta().uid())
        && report.view().restartCount() == pod.status().restarts();
  }

  private RankView seenAgain(RankView view) {
    return view.withObservedTime(world.now());
  }
}
