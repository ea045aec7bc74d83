package dev.rekindle.controller.recovery;

import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.model.GivenCheckpoint;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.ResumeOrder;
import dev.rekindle.controller.model.TrackerOrder;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterGateway.BreakerFullException;
import dev.rekindle.controller.port.ClusterGateway.CallException;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.runtime.ParallelExecutor;
import dev.rekindle.controller.telemetry.Metrics;
import dev.rekindle.logging.LogKey;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out effects and keeps what the API server refused, as input of the next decision. A call
 * that was accepted is not repeated in each reconcile until the views show its result. A new
 * process has neither record, and calls once more.
 */
final class Effects {
  private static final Logger LOG = LoggerFactory.getLogger(Effects.class);

  /** In whose name something is requested where no recovery is open. */
  static final String NO_RECOVERY = "";

  private final ClusterGateway gateway;
  private final Metrics metrics;
  private final InstantSource clock;
  private final ParallelExecutor together;
  private final InspectorSession inspectors;
  private final Map<JobKey, Memory> memories = new ConcurrentHashMap<>();

  /** What failed for a recovery, and what was accepted. */
  private static final class Memory {
    private final String recovery;
    private final Map<CallKind, EffectFailure> failures = new EnumMap<>(CallKind.class);
    private final AcceptedEffects accepted = new AcceptedEffects();

    private Memory(String recovery) {
      this.recovery = recovery;
    }
  }

  Effects(
      ClusterGateway gateway,
      Metrics metrics,
      InstantSource clock,
      ParallelExecutor together,
      InspectorSession inspectors) {
    this.gateway = gateway;
    this.metrics = metrics;
    this.clock = clock;
    this.together = together;
    this.inspectors = inspectors;
  }

  /** What has failed for the recovery and has not succeeded since. */
  Failures failures(JobKey key, String recovery) {
    Memory memory = memories.get(key);
    if (memory == null || !memory.recovery.equals(recovery)) {
      return Failures.NONE;
    }
    synchronized (memory) {
      return new Failures(memory.failures);
    }
  }

  /** Nothing is requested in the name of the job any more. */
  void forget(JobKey key) {
    memories.remove(key);
  }

  private Memory memory(JobKey key, String recovery) {
    return memories.compute(
        key,
        (_, memory) ->
            memory == null || !memory.recovery.equals(recovery) ? new Memory(recovery) : memory);
  }

  /**
   * Sends effects out side by side: the deletions of a big gang take seconds one after another, and
   * they should reach the API server before the operator, woken by the suspension, sends its own.
   * What follows is sent only when nothing has failed that the recovery cannot continue without.
   * What was accepted a moment ago is left out.
   *
   * @return what the breaker says, where it had no place for a node
   */
  Optional<BreakerFullException> carryOut(JobKey key, RecoveryView recovery, Decision.Act act) {
    Outcomes outcomes = new Outcomes();
    run(key, recovery, notAccepted(key, recovery, act, act.effects()), outcomes);
    if (outcomes.mayGoOn()) {
      run(key, recovery, notAccepted(key, recovery, act, act.then()), outcomes);
    }
    remember(key, recovery.name(), outcomes);
    return Optional.ofNullable(outcomes.full);
  }

  private List<Effect> notAccepted(
      JobKey key, RecoveryView recovery, Decision.Act act, List<Effect> effects) {
    Memory memory = memory(key, recovery.name());
    synchronized (memory) {
      memory.accepted.keep(Stream.concat(act.effects().stream(), act.then().stream()).toList());
      return memory.accepted.due(effects, clock.instant());
    }
  }

  /** The recovery of the job is over: no decision wants again what was accepted for it. */
  void over(JobKey key) {
    Memory memory = memories.get(key);
    if (memory != null) {
      synchronized (memory) {
        memory.accepted.keep(List.of());
      }
    }
  }

  private void run(JobKey key, RecoveryView recovery, List<Effect> effects, Outcomes outcomes) {
    together.run(
        effects.stream()
            .<Runnable>map(
                effect ->
                    () -> {
                      try {
                        act(key, recovery, effect);
                        outcomes.done(effect);
                      } catch (BreakerFullException full) {
                        outcomes.full(full);
                      } catch (CallException | StaleException failed) {
                        String object = effect.object();
                        outcomes.failed(
                            effect.kind(), object.isEmpty() ? "job " + key : object, failed);
                      }
                    })
            .toList());
  }

  /** What came of effects that went out together. */
  private static final class Outcomes {
    private record Failed(String object, RuntimeException error) {}

    private final Set<CallKind> done = EnumSet.noneOf(CallKind.class);
    private final List<Effect> accepted = new ArrayList<>();
    private final Map<CallKind, Failed> failed = new EnumMap<>(CallKind.class);
    private @Nullable BreakerFullException full;

    private synchronized void done(Effect effect) {
      done.add(effect.kind());
      accepted.add(effect);
    }

    private synchronized void done(CallKind kind) {
      done.add(kind);
    }

    private synchronized void full(BreakerFullException error) {
      full = error;
    }

    private synchronized void failed(CallKind kind, String object, RuntimeException error) {
      failed.putIfAbsent(kind, new Failed(object, error));
    }

    private synchronized boolean mayGoOn() {
      return full == null && failed.keySet().stream().allMatch(CallKind::optional);
    }
  }

  private void remember(JobKey key, String recovery, Outcomes outcomes) {
    if (outcomes.failed.isEmpty() && !memories.containsKey(key)) {
      return;
    }
    Instant now = clock.instant();
    Memory memory = memory(key, recovery);
    synchronized (memory) {
      outcomes.accepted.forEach(effect -> memory.accepted.add(effect, now));
      memory.failures.keySet().removeAll(outcomes.done);
      outcomes.failed.forEach(
          (kind, failed) -> {
            EffectFailure failure =
                EffectFailure.of(
                    kind, failed.object(), failed.error(), memory.failures.get(kind), now);
            memory.failures.put(kind, failure);
            LOG.atWarn()
                .addKeyValue(LogKey.JOB.key(), key)
                .addKeyValue(LogKey.RECOVERY.key(), recovery)
                .addKeyValue(LogKey.TIMES.key(), failure.times())
                .addKeyValue(LogKey.DETAIL.key(), failure.describe())
                .log("Call for a recovery failed; retrying");
          });
    }
  }

  /**
   * Makes a call whose answer a decision needs, unless it has just failed.
   *
   * @return empty when it fails
   */
  <T> Optional<T> ask(JobKey key, String recovery, CallKind kind, Supplier<T> call) {
    if (!failures(key, recovery).mayAsk(kind, clock.instant())) {
      return Optional.empty();
    }
    Outcomes outcomes = new Outcomes();
    Optional<T> answer;
    try {
      answer = Optional.of(call.get());
      outcomes.done(kind);
    } catch (CallException | StaleException failed) {
      answer = Optional.empty();
      outcomes.failed(kind, "job " + key, failed);
    }
    remember(key, recovery, outcomes);
    return answer;
  }

  private void act(JobKey key, RecoveryView recovery, Effect effect) {
    LOG.atDebug()
        .addKeyValue(LogKey.JOB.key(), key)
        .addKeyValue(LogKey.RECOVERY.key(), recovery.name())
        .addKeyValue(LogKey.ACTION.key(), effect)
        .log("Acting for a recovery");
    String uid = recovery.spec().jobUid();
    switch (effect) {
      case Effect.Cordon(String node, String reason, FenceLimit limit) ->
          cordon(recovery, node, reason, limit);
      case Effect.Suspend() ->
          gateway.suspend(key, uid, recovery.name(), Transitions.attemptId(recovery));
      case Effect.Revive() -> gateway.revive(key, uid, recovery.name());
      case Effect.DeletePod(String pod, String podUid, Duration grace) ->
          gateway.deletePod(key, pod, podUid, grace);
      case Effect.StartInspector() -> inspectors.start(key, uid, recovery.name());
      case Effect.StopInspector() -> inspectors.stop(key, recovery.name());
      case Effect.StartTracker(TrackerOrder order) -> gateway.startTracker(key, uid, order);
      case Effect.Order(String name, RestartOrderSpec spec) -> gateway.order(recovery, name, spec);
      case Effect.Withdraw(String name) -> gateway.withdraw(key, name);
      case Effect.ClearResume() -> gateway.clearResume(key, uid);
      case Effect.PlanNodes(List<String> hostnames) -> gateway.planNodes(key, uid, hostnames);
      case Effect.ReleaseSpare(String pod, String podUid, String node) -> {
        gateway.removeSpare(key, pod, podUid);
        metrics.spare("released");
        gateway.recordEvent(
            new ClusterEvent(
                key,
                uid,
                Reason.SPARE_RELEASED,
                "%s: the room of warm spare %s on %s is the gang's"
                    .formatted(recovery.name(), pod, node),
                node));
      }
      case Effect.HoldQueue(String queue) -> gateway.holdQueue(queue, key, recovery.name());
      case Effect.ReleaseQueue(String queue) -> gateway.releaseQueue(queue, key);
      case Effect.Requeue(String podGroup, String mark) -> gateway.requeue(key, podGroup, mark);
      case Effect.InjectResume(String pod, String podUid, GivenCheckpoint given) ->
          gateway.injectResume(key, pod, podUid, given);
      case Effect.Resume(ResumeOrder order) -> {
        gateway.resume(key, uid, order);
        gateway.recordEvent(
            new ClusterEvent(
                key,
                uid,
                Reason.JOB_RESUMED,
                "%s: as attempt %s".formatted(recovery.name(), order.attempt()),
                ""));
      }
    }
  }

  private void cordon(RecoveryView recovery, String node, String reason, FenceLimit limit) {
    String by = recovery.namespace() + "/" + recovery.name();
    if (gateway.cordon(node, by, reason, limit)) {
      gateway.recordEvent(
          ClusterEvent.onNode(node, Reason.NODE_FENCED, reason + " (recovery " + by + ")"));
      metrics.fenced();
    }
  }
}
