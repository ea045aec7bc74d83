package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.simulator.process.Answers;
import dev.rekindle.simulator.process.WriteObserver;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.QueueObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.WorkloadObject;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Hands on to those who are there only later: who watches a run needs the run first. */
final class WriteObservers implements WriteObserver {
  private List<WriteObserver> to = List.of();

  void to(List<? extends WriteObserver> next) {
    to = List.copyOf(next);
  }

  @Override
  public void called(Answers.Call call, @Nullable JobKey job) {
    // The one that happens by far most often.
    for (WriteObserver observer : to) {
      observer.called(call, job);
    }
  }

  @Override
  public void sends(String process) {
    to.forEach(d -> d.sends(process));
  }

  @Override
  public void opened(RecoveryObject recovery) {
    to.forEach(d -> d.opened(recovery));
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    to.forEach(d -> d.saved(before, after));
  }

  @Override
  public void removed(RecoveryObject recovery) {
    to.forEach(d -> d.removed(recovery));
  }

  @Override
  public void concludes(RecoveryView recovery, List<PodView> seen) {
    to.forEach(d -> d.concludes(recovery, seen));
  }

  @Override
  public void cordoned(NodeObject before, String recovery) {
    to.forEach(d -> d.cordoned(before, recovery));
  }

  @Override
  public void released(NodeObject before) {
    to.forEach(d -> d.released(before));
  }

  @Override
  public void wrote(JobObject before, JobObject after, String verb, String recovery) {
    to.forEach(d -> d.wrote(before, after, verb, recovery));
  }

  @Override
  public void deactivated(JobObject job, String recovery) {
    to.forEach(d -> d.deactivated(job, recovery));
  }

  @Override
  public void activated(WorkloadObject before) {
    to.forEach(d -> d.activated(before));
  }

  @Override
  public void openedQueue(QueueObject before) {
    to.forEach(d -> d.openedQueue(before));
  }

  @Override
  public void deleted(PodObject pod, Duration grace) {
    to.forEach(d -> d.deleted(pod, grace));
  }

  @Override
  public void ordered(@Nullable OrderObject before, OrderObject after) {
    to.forEach(d -> d.ordered(before, after));
  }

  @Override
  public void withdrew(OrderObject before) {
    to.forEach(d -> d.withdrew(before));
  }

  @Override
  public void clocksAreWrong(boolean wrong) {
    to.forEach(d -> d.clocksAreWrong(wrong));
  }

  @Override
  public void processDied() {
    to.forEach(WriteObserver::processDied);
  }

  @Override
  public void announced(ClusterEvent said) {
    to.forEach(d -> d.announced(said));
  }

  @Override
  public void unannounced(ClusterEvent said) {
    to.forEach(d -> d.unannounced(said));
  }
}
