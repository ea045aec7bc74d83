package dev.rekindle.api;

import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;

/**
 * One recovery of one job, from the first signal to the proof that training moved past the step it
 * resumed from.
 */
@Group("rekindle.dev")
@Version("v1alpha1")
@ShortNames("rec")
public class Recovery extends CustomResource<RecoverySpec, RecoveryStatus> implements Namespaced {}
