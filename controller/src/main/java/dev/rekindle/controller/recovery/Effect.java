package dev.rekindle.controller.recovery;

import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.model.GivenCheckpoint;
import dev.rekindle.controller.model.ResumeOrder;
import dev.rekindle.controller.model.TrackerOrder;
import java.time.Duration;
import java.util.List;

/**
 * Something done to the cluster. Each is idempotent: done twice, the second time changes nothing.
 */
public sealed interface Effect {
  /** Cordon a node with our mark, unless so many nodes carry it already. */
  record Cordon(String node, String reason, FenceLimit limit) implements Effect {}

  /** Suspend the job in the name of this recovery. */
  record Suspend() implements Effect {}

  /** Take the operator's Failed condition off the suspended job. */
  record Revive() implements Effect {}

  /** Delete the pod of exactly this UID; a grace of zero removes the object by force. */
  record DeletePod(String pod, String uid, Duration grace) implements Effect {}

  /** Start the checkpoint inspector. */
  record StartInspector() implements Effect {}

  /** Remove the checkpoint inspector. */
  record StopInspector() implements Effect {}

  /** Make the tracker of the checkpoints name the pinned one. */
  record StartTracker(TrackerOrder order) implements Effect {}

  /** Give pods that are made from now on no checkpoint. */
  record ClearResume() implements Effect {}

  /** Take pods that are made from now on to these nodes, by preference. */
  record PlanNodes(List<String> hostnames) implements Effect {
    public PlanNodes {
      hostnames = List.copyOf(hostnames);
    }
  }

  /** Remove a warm spare, so that a pod of the gang finds the room of it. */
  record ReleaseSpare(String pod, String uid, String node) implements Effect {}

  /** Let a ClusterQueue admit nothing until the job is back. */
  record HoldQueue(String queue) implements Effect {}

  /** Let it admit again. */
  record ReleaseQueue(String queue) implements Effect {}

  /** Make a gang scheduler consider the job's PodGroup again. */
  record Requeue(String podGroup, String mark) implements Effect {}

  /** Give the next container of the pod of exactly this UID its checkpoint; an empty path none. */
  record InjectResume(String pod, String uid, GivenCheckpoint given) implements Effect {}

  /** Give the agents their order for the gang. */
  record Order(String name, RestartOrderSpec spec) implements Effect {}

  /** Take back what the agents were ordered; they thaw what they have not killed. */
  record Withdraw(String name) implements Effect {}

  /** Patch the templates and un-suspend the job. */
  record Resume(ResumeOrder order) implements Effect {}

  /** Its kind. */
  default CallKind kind() {
    return switch (this) {
      case Cordon _ -> CallKind.CORDON;
      case Suspend _ -> CallKind.SUSPEND;
      case Revive _ -> CallKind.REVIVE;
      case DeletePod _ -> CallKind.DELETE_POD;
      case StartInspector _ -> CallKind.START_INSPECTOR;
      case StopInspector _ -> CallKind.STOP_INSPECTOR;
      case StartTracker _ -> CallKind.START_TRACKER;
      case ClearResume _ -> CallKind.CLEAR_RESUME;
      case PlanNodes _ -> CallKind.PLAN_NODES;
      case ReleaseSpare _ -> CallKind.RELEASE_SPARE;
      case HoldQueue _ -> CallKind.HOLD_QUEUE;
      case ReleaseQueue _ -> CallKind.RELEASE_QUEUE;
      case Requeue _ -> CallKind.REQUEUE;
      case InjectResume _ -> CallKind.INJECT_RESUME;
      case Order _ -> CallKind.ORDER;
      case Withdraw _ -> CallKind.WITHDRAW;
      case Resume _ -> CallKind.RESUME;
    };
  }

  /** Of which object, for people; empty for the job. */
  default String object() {
    return switch (this) {
      case Cordon(String node, _, _) -> "node " + node;
      case DeletePod(String pod, _, _) -> "pod " + pod;
      case InjectResume(String pod, _, _) -> "pod " + pod;
      case ReleaseSpare(String pod, _, _) -> "pod " + pod;
      case HoldQueue(String queue) -> "ClusterQueue " + queue;
      case ReleaseQueue(String queue) -> "ClusterQueue " + queue;
      case Suspend _,
          Revive _,
          StartInspector _,
          StopInspector _,
          StartTracker _,
          ClearResume _,
          PlanNodes _,
          Requeue _,
          Order _,
          Withdraw _,
          Resume _ ->
          "";
    };
  }
}
