package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.process.Answers;
import dev.rekindle.simulator.process.Answers.Call;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.QueueObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Invariant 64: nothing that blocks others remains of a deleted job: no queue is held for it, no
 * order to agents exists, no recovery is open. Bound: a minute of calm in which a controller leads,
 * unless the API server refuses the removal permanently. Why: nothing about a deleted job changes
 * any more, so what is not removed at once stays, and all jobs of a queue wait for it.
 */
final class GoneJobs extends Check {
  private static final Duration BOUND = Duration.ofSeconds(60);

  private final Answers answers;
  private final BooleanSupplier led;
  private final Overdue overdue = new Overdue(this);

  GoneJobs(World world, Invariants all, Answers answers, BooleanSupplier led) {
    super(world, all, Invariant.GONE_JOBS);
    this.answers = answers;
    this.led = led;
  }

  @Override
  boolean isWaiting() {
    return !overdue.isEmpty();
  }

  @Override
  void look() {
    Set<String> left = left();
    overdue.endAllBut(left);
    if (!led.getAsBoolean()) {
      overdue.restart();
    }
    for (String what : left) {
      if (overdue.lasts(what, BOUND)) {
        broken("since %s %s, which is gone".formatted(overdue.since(what), what));
      }
    }
  }

  private Set<String> left() {
    Set<String> left = new HashSet<>();
    for (QueueObject queue : world.queueing().queues().all()) {
      JobKey holder = queue.view().holdingJob();
      if (holder != null
          && world.jobs().find(holder.toString()).isEmpty()
          && !answers.refusedForGood(Call.RELEASE_QUEUE, holder)) {
        left.add("ClusterQueue %s is held for %s".formatted(queue.meta().name(), holder));
      }
    }
    if (clocksWereWrong()) {
      return left;
    }
    for (OrderObject order : world.orders().all()) {
      // An order stands while its recovery is open, also where its end cannot be written (seed
      // 94778457). Agents heed it for pods of that job alone.
      if (jobOf(order).isEmpty()
          && !answers.refusedForGood(Call.WITHDRAW, order.job())
          && !answers.refusedForGood(Call.SAVE, order.job())) {
        left.add("order %s stands for %s".formatted(order.meta().key(), order.job()));
      }
    }
    for (RecoveryObject recovery : world.recoveries().all()) {
      JobKey job = recovery.view().job();
      if (recovery.open() && jobOf(recovery).isEmpty() && answers.forGood(job).isEmpty()) {
        left.add("recovery %s is open for %s".formatted(recovery.meta().key(), job));
      }
    }
    return left;
  }
}
