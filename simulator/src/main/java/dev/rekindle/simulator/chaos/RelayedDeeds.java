package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.journal.Announcement;
import dev.rekindle.simulator.process.Deeds;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.RecoveryObject;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Hands on to somebody who is there only later: who watches a run needs the run first. */
final class RelayedDeeds implements Deeds {
  private Deeds to = new Deeds() {};

  void to(Deeds next) {
    to = next;
  }

  @Override
  public void opened(RecoveryObject recovery) {
    to.opened(recovery);
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    to.saved(before, after);
  }

  @Override
  public void cordoned(NodeObject before, String recovery) {
    to.cordoned(before, recovery);
  }

  @Override
  public void released(NodeObject before) {
    to.released(before);
  }

  @Override
  public void wrote(JobObject before, JobObject after, String verb, String recovery) {
    to.wrote(before, after, verb, recovery);
  }

  @Override
  public void deleted(PodObject pod, Duration grace) {
    to.deleted(pod, grace);
  }

  @Override
  public void ordered(@Nullable OrderObject before, OrderObject after) {
    to.ordered(before, after);
  }

  @Override
  public void withdrew(OrderObject before) {
    to.withdrew(before);
  }

  @Override
  public void announced(Announcement said) {
    to.announced(said);
  }
}
