package dev.rekindle.controller.diagnosis;

import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.Policy;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What follows for a node. */
public sealed interface NodeVerdict {
  /**
   * Nothing is to be done.
   *
   * @param until when to reconcile again though nothing changes; absent for never
   */
  record NoAction(String why, @Nullable Instant until) implements NodeVerdict {}

  /**
   * The node is to be fenced.
   *
   * @param fault what for; weighed
   * @param reason for people: what, how sure, which detectors report it
   * @param policy whose limits hold
   * @param namespaces whose programs are all there is against it; empty where there is more
   */
  record Fence(FaultView fault, String reason, Policy policy, Set<String> namespaces)
      implements NodeVerdict {}

  /** The node would be fenced, but for the quota of a namespace. */
  record OverQuota(FaultView fault, String reason) implements NodeVerdict {}

  /**
   * The node would be fenced, but for the mode.
   *
   * @param mode {@code OBSERVE}: nothing is done; {@code APPROVE}: a person is waited for
   */
  record Suppressed(FaultView fault, String reason, JobView.Mode mode, String policy)
      implements NodeVerdict {}

  /** The node would be fenced, but for the pause of a policy. */
  record Paused(FaultView fault, String reason, String policy) implements NodeVerdict {}

  /**
   * Our fence stays, though the node says that it is well again.
   *
   * @param why what a person is to do
   */
  record KeepFenced(String why) implements NodeVerdict {}

  /** Our fence is to be lifted. */
  record Release(String why) implements NodeVerdict {}
}
