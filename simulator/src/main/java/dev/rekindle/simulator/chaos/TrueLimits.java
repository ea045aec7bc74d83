package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.PolicyObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 52: if something is given up or refused because of a limit, the limit was reached. An
 * attempt is the last one only if the policy allows no more, or the budget is used up. A budget
 * that is said to be used up is used up. A job that is not revived failed longer ago than allowed.
 * A stall that is not restarted follows two stalls without a named rank. Bound: policies of the
 * last {@link #UNDER_WAY}, and ten seconds for clocks. Why: a job that is given up too early stands
 * until a person acts.
 */
final class TrueLimits extends Check {
  private static final Duration APART = Duration.ofSeconds(10);
  private static final int STALLS = 2;
  private static final Pattern ATTEMPT = Pattern.compile("^attempt (\\d+): ");
  private static final Pattern SPENT = Pattern.compile("but (\\d+) restarts within");
  private static final String BUDGET = "would pass the budget";

  /** A policy that held until then; for ever where that is absent. */
  private record Held(Policy policy, @Nullable Instant until) {}

  private final Policy policy;
  private final List<Held> policies = new ArrayList<>();

  /** By UID of a job, when each attempt began to stop it. */
  private final Map<String, List<Instant>> attempts = new HashMap<>();

  /** By UID of a job, the recoveries that have stopped it for a stall. */
  private final Map<String, Set<String>> stalls = new HashMap<>();

  TrueLimits(World world, Invariants all, Policy policy) {
    super(world, all, Invariant.TRUE_LIMITS);
    this.policy = policy;
    world.policies().watch(this::policyChanged);
  }

  private void policyChanged(Change<PolicyObject> change) {
    PolicyObject before = change.before();
    policies.removeIf(held -> longAgo(held.until()));
    if (before != null) {
      policies.add(new Held(before.policy(), now()));
    }
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    RecoveryStatus was = before.status();
    if (after == null || after.phase() == null || isOver(was)) {
      return;
    }
    String uid = before.spec().jobUid();
    if (after.phase() == RecoveryPhase.DRAINING
        && (was == null || was.phase() != RecoveryPhase.DRAINING)) {
      attempts.computeIfAbsent(uid, _ -> new ArrayList<>()).add(now());
      if (after.cause() != null && after.cause().reason().equals(Cause.STALLED)) {
        stalls.computeIfAbsent(uid, _ -> new HashSet<>()).add(before.meta().key());
      }
    }
    if (after.phase() == RecoveryPhase.FAILED
        && !clocksWereWrong()
        && !after.timeline().isEmpty()) {
      givenUp(before, after.timeline().getLast().detail());
    }
  }

  private void givenUp(RecoveryObject recovery, String why) {
    Matcher attempt = ATTEMPT.matcher(why);
    if (!attempt.find()) {
      return;
    }
    boolean spent =
        why.contains(BUDGET)
            ? restarts(recovery.spec().jobUid()) >= least(Policy::maxRestarts)
            : Integer.parseInt(attempt.group(1)) >= least(Policy::maxAttempts);
    if (!spent) {
      broken(
          recovery.view().job(),
          "recovery %s is given up: %s; %d restarts, of %d, and %d attempts may be"
              .formatted(
                  recovery.meta().key(),
                  why,
                  restarts(recovery.spec().jobUid()),
                  least(Policy::maxRestarts),
                  least(Policy::maxAttempts)));
    }
  }

  @Override
  public void announced(ClusterEvent said) {
    JobObject job =
        said.job() == null || clocksWereWrong()
            ? null
            : world
                .jobs()
                .find(said.job().toString())
                .filter(j -> j.meta().uid().equals(said.jobUid()))
                .orElse(null);
    if (job == null) {
      return;
    }
    boolean so =
        switch (said.reason()) {
          case BUDGET_EXHAUSTED -> isSpent(job, said.note());
          case REVIVAL_EXPIRED -> hasFailedLongAgo(job);
          case STALLS_UNEXPLAINED ->
              stalls.getOrDefault(job.meta().uid(), Set.of()).size() >= STALLS;
          default -> true;
        };
    if (!so) {
      broken(
          job.key(),
          "an Event of job %s says %s (%s); it was stopped %d times, failed at %s"
              .formatted(
                  job.key(),
                  said.reason(),
                  said.note(),
                  restarts(job.meta().uid()),
                  job.status().finishedAt()));
    }
  }

  private boolean isSpent(JobObject job, String note) {
    Matcher said = SPENT.matcher(note);
    int restarts = restarts(job.meta().uid());
    return !said.find()
        || (Integer.parseInt(said.group(1)) <= restarts && restarts >= least(Policy::maxRestarts));
  }

  /** One that is not failed any more may have been revived, or deleted, meanwhile. */
  private boolean hasFailedLongAgo(JobObject job) {
    Instant at = job.status().finishedAt();
    long least = least(p -> (int) p.revival().toSeconds());
    return at == null || !at.plusSeconds(least).isAfter(now().plus(APART));
  }

  private int restarts(String uid) {
    Instant since = now().minus(policy.budgetWindow()).minus(UNDER_WAY);
    return (int)
        attempts.getOrDefault(uid, List.of()).stream().filter(at -> at.isAfter(since)).count();
  }

  /** By any policy that holds, or held a minute ago; while there is none, by the built-in one. */
  private int least(ToIntFunction<Policy> limit) {
    int least = Math.min(limit.applyAsInt(policy), unseen(limit));
    for (PolicyObject object : world.policies().all()) {
      least = Math.min(least, limit.applyAsInt(object.policy()));
    }
    for (Held held : policies) {
      if (!longAgo(held.until())) {
        least = Math.min(least, limit.applyAsInt(held.policy()));
      }
    }
    return least;
  }

  private int unseen(ToIntFunction<Policy> limit) {
    boolean there = world.policies().find("default").isPresent();
    boolean changed = policies.stream().anyMatch(held -> !longAgo(held.until()));
    return there && !changed ? Integer.MAX_VALUE : limit.applyAsInt(Policy.DEFAULT);
  }
}
