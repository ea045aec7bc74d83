package dev.rekindle.controller.spares;

import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.SpareView;
import dev.rekindle.controller.policy.RuledJob;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.controller.telemetry.Metrics;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Makes and removes the warm spares of jobs, one reconcile at a time. A job that requests none and
 * has none costs two lookups. What it remembers only spares calls and events: another process makes
 * the same of what it sees.
 */
public final class SpareKeeper {

  /** After what was refused, or found no place: what stands against it seldom goes away soon. */
  static final Duration IN_VAIN = Duration.ofMinutes(5);

  private static final Duration UNSETTLED = Duration.ofSeconds(5);
  static final Duration FEWER = Duration.ofSeconds(60);

  private final ClusterState state;
  private final ClusterGateway gateway;
  private final SpareObserver observer;
  private final SpareWriter writer;
  private final InstantSource clock;
  private final Map<JobKey, SpareMemory> memories = new ConcurrentHashMap<>();

  /** Takes what it reads from and acts through. */
  public SpareKeeper(
      ClusterState state, ClusterGateway gateway, Metrics metrics, InstantSource clock) {
    this.state = state;
    this.gateway = gateway;
    this.observer = new SpareObserver(state);
    this.writer = new SpareWriter(state, gateway, observer, metrics, clock);
    this.clock = clock;
  }

  /** Reconciles the spares of a job; says when to do so again, if nothing changes before. */
  public Optional<Duration> look(JobKey key) {
    List<SpareView> spares = state.spares(key);
    Optional<JobView> found = state.job(key);
    if (spares.isEmpty() && found.filter(j -> j.spares().count() > 0).isEmpty()) {
      memories.remove(key);
      return Optional.empty();
    }
    SpareMemory memory = memories.computeIfAbsent(key, _ -> new SpareMemory());
    Optional<RuledJob> ruled = found.map(job -> RuledJob.of(state, job));
    Policy policy = ruled.map(RuledJob::policy).orElse(Policy.DEFAULT);
    Instant now = clock.instant();
    SpareSnapshot s = observer.snapshot(key, ruled.map(RuledJob::job).orElse(null), spares, now);
    memory.sees(spares, now);
    for (SpareDecision.Removal removal : SpareDecision.removals(s, policy, now)) {
      writer.remove(key, removal, memory, now);
    }
    if (s.job() == null) {
      return spares.isEmpty() ? Optional.empty() : Optional.of(UNSETTLED);
    }
    String wanting = SpareDecision.wanting(s, policy);
    OptionalInt slot = SpareDecision.next(s, policy, now);
    if (slot.isPresent() && !memory.pauses(now)) {
      wanting = writer.create(s.job(), s, slot.getAsInt(), policy, memory, now);
    } else if (slot.isPresent()) {
      wanting = memory.said;
    }
    say(s.job(), wanting, memory);
    return again(s, policy);
  }

  private void say(JobView job, String wanting, SpareMemory memory) {
    if (!wanting.isEmpty() && !wanting.equals(memory.said)) {
      gateway.recordEvent(
          new ClusterEvent(job.key(), job.uid(), Reason.SPARE_WANTING, wanting, ""));
    }
    memory.said = wanting;
  }

  private static Optional<Duration> again(SpareSnapshot s, Policy policy) {
    boolean unsettled =
        s.spares().stream()
                .filter(spare -> !SpareDecision.isLost(spare, s.nodes().get(spare.node())))
                .anyMatch(spare -> spare.node().isEmpty() || spare.terminating())
            || (!s.spares().isEmpty() && s.pods().stream().anyMatch(p -> p.node().isEmpty()));
    if (unsettled) {
      return Optional.of(UNSETTLED);
    }
    return SpareDecision.counted(s) < SpareDecision.allowance(s.job(), policy).count()
        ? Optional.of(FEWER)
        : Optional.empty();
  }
}
