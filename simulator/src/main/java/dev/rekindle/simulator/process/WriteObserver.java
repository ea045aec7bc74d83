package dev.rekindle.simulator.process;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RecoveryView;
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

/** Observes each write of the controller at the moment at which it takes effect. */
public interface WriteObserver {
  /** A recovery was created. */
  default void opened(RecoveryObject recovery) {}

  /** The status of a recovery is written. */
  default void saved(RecoveryObject before, @Nullable RecoveryStatus after) {}

  /** A recovery is deleted, as too many are kept. */
  default void removed(RecoveryObject recovery) {}

  /**
   * A process decides that a recovery has ended well, and is about to write that.
   *
   * @param seen pods of its job, as the watches of that process have shown them
   */
  default void concludes(RecoveryView recovery, List<PodView> seen) {}

  /** A node is cordoned with our mark. */
  default void cordoned(NodeObject before, String recovery) {}

  /** A cordon is lifted. */
  default void released(NodeObject before) {}

  /** A job is suspended, revived or resumed in the name of a recovery. */
  default void wrote(JobObject before, JobObject after, String verb, String recovery) {}

  /** The Workload of a job is deactivated in the name of a recovery, by which Kueue suspends it. */
  default void deactivated(JobObject job, String recovery) {
    wrote(job, job.withSuspend(true, recovery), "suspend", recovery);
  }

  /** A Workload is activated, or our mark taken off it. */
  default void activated(WorkloadObject before) {}

  /** A ClusterQueue that admits nothing is opened. */
  default void openedQueue(QueueObject before) {}

  /** A pod is deleted. */
  default void deleted(PodObject pod, Duration grace) {}

  /** An order for agents is created, or requests the next thing. */
  default void ordered(@Nullable OrderObject before, OrderObject after) {}

  /** An order for agents is deleted. */
  default void withdrew(OrderObject before) {}

  /** A process of the controller is about to send something. */
  default void sends(String process) {}

  /** The controller makes a call, with any outcome; without a job if it is about a node. */
  default void called(Answers.Call call, @Nullable JobKey job) {}

  /** The clock of a process of the controller has stepped, or all of them were set. */
  default void clocksAreWrong(boolean wrong) {}

  /** A process of the controller has died. */
  default void processDied() {}

  /** An Event is written. */
  default void announced(ClusterEvent said) {}

  /** An Event was refused, or not answered: whose process leads has done what it does for it. */
  default void unannounced(ClusterEvent said) {}
}
