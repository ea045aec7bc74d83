package dev.rekindle.simulator.process;

import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.api.Scorecard;
import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.ResumeOrder;
import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.simulator.process.Answers.Answer;
import dev.rekindle.simulator.process.Answers.Call;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The same gateway where the API server may refuse what it is asked for, with no effect. */
final class AnsweringGateway extends SimGateway {
  private final Answers answers;
  private final Caller caller;
  private final WriteObserver deeds;
  private final InstantSource time;

  /**
   * @param time of the world, whatever the clock of the process says
   */
  AnsweringGateway(
      World world,
      Caller caller,
      FlatState state,
      WriteObserver deeds,
      InstantSource clock,
      Answers answers,
      InstantSource time) {
    super(world, caller, state, deeds, clock);
    this.answers = answers;
    this.caller = caller;
    this.deeds = deeds;
    this.time = time;
  }

  private void ask(Call call, @Nullable JobKey job) {
    deeds.called(call, job);
    Optional<Answer> answer = answers.to(call, job, time.instant());
    if (answer.isPresent()) {
      caller.answered();
      throw answer.get().exception();
    }
  }

  @Override
  public RecoveryView open(RecoveryView draft) {
    ask(Call.OPEN, draft.job());
    return super.open(draft);
  }

  @Override
  public RecoveryView save(RecoveryView recovery) {
    ask(Call.SAVE, recovery.job());
    return super.save(recovery);
  }

  @Override
  public boolean cordon(String name, String by, String reason, FenceLimit limit) {
    ask(Call.CORDON, null);
    return super.cordon(name, by, reason, limit);
  }

  @Override
  public void recordIncident(String name, String by) {
    ask(Call.BLAME, null);
    super.recordIncident(name, by);
  }

  @Override
  public void markLemon(String name, boolean lemon) {
    ask(Call.MARK_LEMON, null);
    super.markLemon(name, lemon);
  }

  @Override
  public void release(String name) {
    ask(Call.RELEASE, null);
    super.release(name);
  }

  @Override
  public void suspend(JobKey key, String uid, String recovery, String attempt) {
    ask(Call.SUSPEND, key);
    super.suspend(key, uid, recovery, attempt);
  }

  @Override
  public void revive(JobKey key, String uid, String recovery) {
    ask(Call.REVIVE, key);
    super.revive(key, uid, recovery);
  }

  @Override
  public void resume(JobKey key, String uid, ResumeOrder order) {
    ask(Call.RESUME, key);
    super.resume(key, uid, order);
  }

  @Override
  public void clearResume(JobKey key, String uid) {
    ask(Call.CLEAR_RESUME, key);
    super.clearResume(key, uid);
  }

  @Override
  public void injectResume(
      JobKey key, String pod, String uid, String attempt, String path, @Nullable Long step) {
    ask(Call.TELL, key);
    super.injectResume(key, pod, uid, attempt, path, step);
  }

  @Override
  public void deletePod(JobKey key, String pod, String uid, Duration grace) {
    ask(Call.DELETE_POD, key);
    super.deletePod(key, pod, uid, grace);
  }

  @Override
  public void order(RecoveryView recovery, String name, RestartOrderSpec spec) {
    ask(Call.ORDER, recovery.job());
    super.order(recovery, name, spec);
  }

  @Override
  public void withdraw(JobKey job, String name) {
    ask(Call.WITHDRAW, job);
    super.withdraw(job, name);
  }

  @Override
  public boolean exists(JobKey job, String uid) {
    ask(Call.EXISTS, job);
    return super.exists(job, uid);
  }

  @Override
  public List<PodView> livePods(JobKey job) {
    ask(Call.LIST_PODS, job);
    return super.livePods(job);
  }

  @Override
  public Optional<Inspection.Unable> startInspector(JobKey key, String uid, String recovery) {
    ask(Call.START_INSPECTOR, key);
    return super.startInspector(key, uid, recovery);
  }

  @Override
  public Inspection inspect(JobKey job, String recovery) {
    ask(Call.INSPECT, job);
    return super.inspect(job, recovery);
  }

  @Override
  public void stopInspector(JobKey job, String recovery) {
    ask(Call.STOP_INSPECTOR, job);
    super.stopInspector(job, recovery);
  }

  @Override
  public void raise(FaultObservation observation) {
    ask(Call.RAISE, null);
    super.raise(observation);
  }

  @Override
  public void clear(String fault, String by) {
    ask(Call.CLEAR, null);
    super.clear(fault, by);
  }

  @Override
  public void score(String policy, UnaryOperator<Scorecard> change) {
    ask(Call.SCORE, null);
    super.score(policy, change);
  }

  /** Best effort: what is refused is not said. */
  @Override
  public void recordEvent(ClusterEvent said) {
    deeds.called(Call.ANNOUNCE, said.job());
    if (answers.to(Call.ANNOUNCE, said.job(), time.instant()).isEmpty()) {
      super.recordEvent(said);
    }
  }
}
