package dev.rekindle.controller.recovery;

import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.controller.fence.FenceLimit;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

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

  /** Tell pods that are made from now on no checkpoint. */
  record Untell() implements Effect {}

  /** Tell the next container of the pod of exactly this UID its checkpoint; an empty path none. */
  record TellPod(String pod, String uid, String attempt, String path, @Nullable Long step)
      implements Effect {}

  /** Tell the agents what to do with the gang. */
  record Order(String name, RestartOrderSpec spec) implements Effect {}

  /** Patch the templates and un-suspend the job. */
  record Resume(ResumeOrder order) implements Effect {}
}
