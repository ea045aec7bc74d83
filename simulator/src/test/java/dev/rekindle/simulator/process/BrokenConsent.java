package dev.rekindle.simulator.process;

import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.detect.policy.MaintenanceWindows;
import java.util.List;
import java.util.Optional;

/** Controllers that are broken on purpose: they act without consent. */
public final class BrokenConsent {
  private BrokenConsent() {}

  /** 3: takes every job for one that opted in. */
  public static Reconcilers.Factory deafToOptIn() {
    return Distorted.seeingJobs(j -> j.withOptIn(new OptIn.Yes(Mode.AUTO)));
  }

  /** 3: fences whatever node is faulty, whatever runs there. */
  public static Reconcilers.Factory fencingForEverybody() {
    return Distorted.seeingPolicies(p -> p.withFenceScope(Policy.FenceScope.GPU_NODES));
  }

  /** 3: takes a policy that does not exist for the one of the name default. */
  public static Reconcilers.Factory takingAnyPolicyForTheDefault() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Optional<Policy> policy(String name) {
                return super.policy(name).or(() -> super.policy("default"));
              }
            });
  }

  /** 14: does at once what it is only to observe, or to have approved first. */
  public static Reconcilers.Factory deafToModes() {
    return Distorted.seeingPolicies(p -> p.withMode(Mode.AUTO));
  }

  /** 14: takes a fence for approved, whatever a person has approved. */
  public static Reconcilers.Factory approvingByItself() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Optional<NodeView> node(String name) {
                return super.node(name).map(n -> approved(n, super.faults(name)));
              }
            });
  }

  private static NodeView approved(NodeView n, List<FaultView> faults) {
    return n.withApprovedFault(faults.isEmpty() ? "" : faults.getFirst().name());
  }

  /** 34: continues while the policy is paused. */
  public static Reconcilers.Factory deafToPauses() {
    return Distorted.seeingPolicies(p -> p.withPaused(false));
  }

  /** 34: takes every time for a maintenance window. */
  public static Reconcilers.Factory blindToWindows() {
    return Distorted.seeingPolicies(p -> p.withMaintenance(MaintenanceWindows.ALWAYS));
  }

  /** 18: suspends another job of the namespace. */
  public static Reconcilers.Factory suspendingTheNeighbour() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void suspend(JobKey job, String uid, String recovery, String attempt) {
                JobKey other =
                    new JobKey(job.namespace(), job.name().equals("job-0") ? "job-1" : "job-0");
                state
                    .job(other)
                    .ifPresent(there -> super.suspend(other, there.uid(), recovery, attempt));
              }
            });
  }
}
