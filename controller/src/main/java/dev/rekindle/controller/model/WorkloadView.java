package dev.rekindle.controller.model;

import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * What the controller keeps of a Workload of Kueue.
 *
 * @param namespace its namespace, which is that of the job
 * @param name its name
 * @param job the PyTorchJob that owns it
 * @param jobUid UID of that job
 * @param active {@code spec.active}: whether it is to be admitted at all
 * @param stoppedBy the recovery that took {@code active} away, by our annotation; empty otherwise
 * @param queue the ClusterQueue whose quota it holds, or held last that it is known; empty before
 * @param quotaReserved whether quota is reserved for it
 * @param admitted whether Kueue lets it run
 * @param finished whether Kueue is done with it for good
 * @param topologyAware whether Kueue assigns nodes to its pods
 * @param message why it is not admitted, in Kueue's words, bounded; empty when it is
 */
@RecordBuilder
public record WorkloadView(
    String namespace,
    String name,
    JobKey job,
    String jobUid,
    boolean active,
    String stoppedBy,
    String queue,
    boolean quotaReserved,
    boolean admitted,
    boolean finished,
    boolean topologyAware,
    String message)
    implements WorkloadViewBuilder.With {}
