package dev.rekindle.controller.recovery;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterState;
import java.util.List;

/**
 * Removes the preference for planned nodes from the templates of a job that has no open recovery,
 * regardless of how the recovery ended and which process led. The pods are placed by then, and a
 * tool that compares the job with its owner's manifest finds no difference.
 */
final class PlannedNodes {
  private final ClusterState state;
  private final ClusterGateway gateway;
  private final Effects effects;

  PlannedNodes(ClusterState state, ClusterGateway gateway, Effects effects) {
    this.state = state;
    this.gateway = gateway;
    this.effects = effects;
  }

  void takeBack(JobKey key) {
    state
        .job(key)
        .filter(job -> !job.plannedNodes().isEmpty())
        .ifPresent(
            job -> {
              var _ =
                  effects.ask(
                      key,
                      Effects.NO_RECOVERY,
                      CallKind.PLAN_NODES,
                      () -> {
                        gateway.planNodes(key, job.uid(), List.of());
                        return job;
                      });
            });
  }
}
