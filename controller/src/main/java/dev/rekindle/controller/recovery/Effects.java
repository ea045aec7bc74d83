package dev.rekindle.controller.recovery;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterGateway.BreakerFullException;
import dev.rekindle.controller.port.ClusterGateway.CallException;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.runtime.ParallelExecutor;
import dev.rekindle.controller.telemetry.Metrics;
import dev.rekindle.logging.LogKey;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
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

  private final InstantSource clock;
  private final ParallelExecutor together;
  private final EffectCalls calls;
  private final Map<JobKey, EffectMemory> memories = new ConcurrentHashMap<>();

  Effects(
      ClusterGateway gateway,
      Metrics metrics,
      InstantSource clock,
      ParallelExecutor together,
      InspectorSession inspectors) {
    this.clock = clock;
    this.together = together;
    this.calls = new EffectCalls(gateway, metrics, inspectors);
  }

  /** What has failed for the recovery and has not succeeded since. */
  Failures failures(JobKey key, String recovery) {
    EffectMemory memory = memories.get(key);
    if (memory == null || !memory.recovery.equals(recovery)) {
      return Failures.NONE;
    }
    return memory.failures();
  }

  /** Nothing is requested in the name of the job any more. */
  void forget(JobKey key) {
    memories.remove(key);
  }

  private EffectMemory memory(JobKey key, String recovery) {
    return memories.compute(
        key,
        (_, memory) ->
            memory == null || !memory.recovery.equals(recovery)
                ? new EffectMemory(recovery)
                : memory);
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
    EffectOutcomes outcomes = new EffectOutcomes();
    run(key, recovery, notAccepted(key, recovery, act, act.effects()), outcomes);
    if (outcomes.mayGoOn()) {
      run(key, recovery, notAccepted(key, recovery, act, act.then()), outcomes);
    }
    remember(key, recovery.name(), outcomes);
    return outcomes.breakerFull();
  }

  private List<Effect> notAccepted(
      JobKey key, RecoveryView recovery, Decision.Act act, List<Effect> effects) {
    return memory(key, recovery.name()).due(act, effects, clock.instant());
  }

  /** The recovery of the job is over: no decision wants again what was accepted for it. */
  void over(JobKey key) {
    EffectMemory memory = memories.get(key);
    if (memory != null) {
      memory.over();
    }
  }

  private void run(
      JobKey key, RecoveryView recovery, List<Effect> effects, EffectOutcomes outcomes) {
    together.run(
        effects.stream()
            .<Runnable>map(
                effect ->
                    () -> {
                      try {
                        calls.act(key, recovery, effect);
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

  private void remember(JobKey key, String recovery, EffectOutcomes outcomes) {
    if (outcomes.failed().isEmpty() && !memories.containsKey(key)) {
      return;
    }
    for (EffectFailure failure : memory(key, recovery).add(outcomes, clock.instant())) {
      LOG.atWarn()
          .addKeyValue(LogKey.JOB.key(), key)
          .addKeyValue(LogKey.RECOVERY.key(), recovery)
          .addKeyValue(LogKey.TIMES.key(), failure.times())
          .addKeyValue(LogKey.DETAIL.key(), failure.describe())
          .log("Call for a recovery failed; retrying");
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
    EffectOutcomes outcomes = new EffectOutcomes();
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
}
