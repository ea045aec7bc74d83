package dev.rekindle.controller.story;

import dev.rekindle.controller.checkpoint.Inspection;
import dev.rekindle.controller.cluster.ClusterGateway;
import dev.rekindle.controller.cluster.JobKey;
import dev.rekindle.controller.cluster.PodView;
import dev.rekindle.controller.cluster.RecoveryView;
import dev.rekindle.controller.journal.Announcement;
import dev.rekindle.controller.recovery.ResumeOrder;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Kills the process at random around its calls: before the call, or after it took effect and before
 * it was known.
 */
final class CrashingGateway implements ClusterGateway {
  /** The process is gone. */
  static final class Crash extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private final ClusterGateway to;
  private final Random random;
  private final double rate;

  CrashingGateway(ClusterGateway to, Random random, double rate) {
    this.to = to;
    this.random = random;
    this.rate = rate;
  }

  private <T> T around(Supplier<T> call) {
    if (random.nextDouble() < rate) {
      throw new Crash();
    }
    T result = call.get();
    if (random.nextDouble() < rate) {
      throw new Crash();
    }
    return result;
  }

  private void around(Runnable call) {
    around(
        () -> {
          call.run();
          return true;
        });
  }

  @Override
  public RecoveryView open(RecoveryView draft) {
    return around(() -> to.open(draft));
  }

  @Override
  public RecoveryView save(RecoveryView recovery) {
    return around(() -> to.save(recovery));
  }

  @Override
  public void cordon(String node, String recovery, String reason) {
    around(() -> to.cordon(node, recovery, reason));
  }

  @Override
  public void release(String node) {
    around(() -> to.release(node));
  }

  @Override
  public void suspend(JobKey job, String uid, String recovery) {
    around(() -> to.suspend(job, uid, recovery));
  }

  @Override
  public void revive(JobKey job, String uid, String recovery) {
    around(() -> to.revive(job, uid, recovery));
  }

  @Override
  public void resume(JobKey job, String uid, ResumeOrder order) {
    around(() -> to.resume(job, uid, order));
  }

  @Override
  public void deletePod(JobKey job, String pod, String uid, Duration grace) {
    around(() -> to.deletePod(job, pod, uid, grace));
  }

  @Override
  public List<PodView> livePods(JobKey job) {
    return around(() -> to.livePods(job));
  }

  @Override
  public String startInspector(JobKey job, String uid, String recovery) {
    return around(() -> to.startInspector(job, uid, recovery));
  }

  @Override
  public Inspection inspect(JobKey job, String recovery) {
    return around(() -> to.inspect(job, recovery));
  }

  @Override
  public void stopInspector(JobKey job, String recovery) {
    around(() -> to.stopInspector(job, recovery));
  }

  @Override
  public void announce(Announcement announcement) {
    around(() -> to.announce(announcement));
  }
}
