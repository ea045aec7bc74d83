package dev.rekindle.controller.diagnosis;

import dev.rekindle.api.RankReportStatus.Pace;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * How long the steps of a job may stand before that is a stall.
 *
 * <p>What the job itself says holds ({@code rekindle.dev/stall-timeout}). Else the threshold is
 * learnt, once {@value #ENOUGH} intervals between steps have been measured; it is the longest of
 *
 * <ul>
 *   <li>{@code minStallSeconds} of the policy,
 *   <li>{@value #FACTOR} times the 99th percentile of the newest intervals,
 *   <li>twice the longest interval seen: evaluations and checkpoints come again,
 *   <li>in the first six hours a fifth of the time trained, two minutes at most: a pause that has
 *       not come yet takes little beside the time between two of them,
 * </ul>
 *
 * four times that for each stall at a step that the job has not passed since: the first threshold
 * may have cut off a pause, or the dumps have shown that the job trains.
 *
 * <p>{@code stallSeconds} of the policy holds where too little is known: after the first few steps
 * of a run, where a line announces a pause, and where an agent is silent. The last is for nodes
 * that die: their pods are Running until Kubernetes notices, and a stall would hide whose fault it
 * is. It is raised where the job is known to have taken longer for an interval: a bar whose pieces
 * the runtime holds back shows that with its first ones.
 *
 * @param timeout steps may stand this long
 * @param why what it is made of, as a clause
 * @param learnt whether it was learnt from the job's own steps
 */
record StallThreshold(Duration timeout, String why, boolean learnt) {
  private static final int ENOUGH = 20;
  private static final int FEW = 5;
  private static final int FACTOR = 5;
  private static final int PAUSE_FACTOR = 2;
  private static final int ALARM_FACTOR = 4;
  private static final int MOST_ALARMS = 8;
  private static final int PAUSE_SHARE = 5;
  private static final Duration LONGEST_FIRST_PAUSE = Duration.ofMinutes(2);
  private static final Duration LONG_TRAINED = Duration.ofHours(6);

  /** Agents of big gangs report this seldom. */
  private static final Duration REPORTS = Duration.ofSeconds(20);

  static StallThreshold of(JobSnapshot s, GangProgress progress, Policy policy, Instant now) {
    Duration own = s.job().stallTimeout();
    if (own != null) {
      return new StallThreshold(own, "the job's own", false);
    }
    List<Pace> paces =
        progress.witnesses().stream().map(RankView::pace).filter(Objects::nonNull).toList();
    if (paces.stream().anyMatch(Pace::pausing)) {
      return fixed(policy, paces, "a line after the newest step announces a pause");
    }
    List<Pace> known =
        paces.stream().filter(p -> p.intervals() >= ENOUGH && p.ofThisRun() >= FEW).toList();
    if (known.isEmpty()) {
      return fixed(policy, paces, "how long its steps take is not known");
    }
    StallThreshold learnt = learnt(known, alarms(s, progress, policy, now), policy);
    return all(s.pods(), progress, learnt.timeout().minus(REPORTS), now)
        ? learnt
        : fixed(policy, paces, "not every agent reports");
  }

  private static StallThreshold fixed(Policy policy, List<Pace> paces, String why) {
    Duration done = most(policy.stall(), Duration.ofMillis(most(paces, Pace::longestMillis)));
    return new StallThreshold(done, why, false);
  }

  /** What the job has done once is no stall, whatever the policy says of jobs not known. */
  private static Duration most(Duration stall, Duration pause) {
    return longer(stall, pause.plus(pause.dividedBy(PAUSE_FACTOR)));
  }

  private static StallThreshold learnt(List<Pace> known, int alarms, Policy policy) {
    Duration interval = Duration.ofMillis(most(known, Pace::p99Millis));
    Duration pause = Duration.ofMillis(most(known, Pace::longestMillis));
    Duration trained = Duration.ofSeconds(most(known, Pace::trainedSeconds));
    Duration firstPause =
        trained.compareTo(LONG_TRAINED) >= 0
            ? Duration.ZERO
            : shorter(LONGEST_FIRST_PAUSE, trained.dividedBy(PAUSE_SHARE));
    Duration threshold =
        Collections.max(
            List.of(
                shorter(policy.minStall(), policy.stall()),
                interval.multipliedBy(FACTOR),
                pause.multipliedBy(PAUSE_FACTOR),
                firstPause));
    for (int i = 0; i < alarms; i++) {
      threshold = threshold.multipliedBy(ALARM_FACTOR);
    }
    Duration longest = most(policy.stall(), pause);
    String why =
        "99 %% of intervals took at most %s, the longest %s, %s trained%s"
            .formatted(
                seconds(interval),
                seconds(pause),
                seconds(trained),
                alarms == 0 ? "" : ", %d stalls before at this step".formatted(alarms));
    return new StallThreshold(shorter(threshold, longest), why, true);
  }

  private static long most(List<Pace> paces, ToLongFunction<Pace> what) {
    return paces.stream().mapToLong(what).max().orElse(0);
  }

  /** Stalls, real or not, of the policy's window at a step that the job has not passed since. */
  private static int alarms(JobSnapshot s, GangProgress progress, Policy policy, Instant now) {
    long step = Objects.requireNonNullElse(progress.lastStep(), 0L);
    return (int)
        Stream.concat(
                StallHistory.of(s.recoveries(), policy, now),
                StallHistory.refuted(s.recoveries(), policy, now))
            .filter(cause -> cause.lastStep() != null && cause.lastStep() >= step)
            .limit(MOST_ALARMS)
            .count();
  }

  /** Whether the agents of all pods have reported of late, and so long after the newest step. */
  private static boolean all(
      List<PodView> pods, GangProgress progress, Duration after, Instant now) {
    Instant step = Objects.requireNonNullElse(progress.lastStepTime(), now);
    Set<String> seen = new HashSet<>();
    for (RankView rank : progress.witnesses()) {
      Instant observed = rank.observedTime();
      if (observed != null
          && GangProgress.fresh(observed, now)
          && (!observed.isBefore(step.plus(after)) || now.isBefore(step.plus(after)))) {
        seen.add(rank.podUid());
      }
    }
    return pods.stream().allMatch(pod -> seen.contains(pod.uid()));
  }

  private static String seconds(Duration duration) {
    long millis = duration.toMillis();
    return millis >= 10_000
        ? millis / 1000 + " s"
        : "%d.%d s".formatted(millis / 1000, millis % 1000 / 100);
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) <= 0 ? a : b;
  }

  private static Duration longer(Duration a, Duration b) {
    return a.compareTo(b) >= 0 ? a : b;
  }
}
