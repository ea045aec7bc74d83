package dev.rekindle.api;

import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;

/**
 * How recoveries are done: limits and times. Cluster-scoped; {@code default} serves every job that
 * names no other.
 */
@Group("rekindle.dev")
@Version("v1alpha1")
@Plural("recoverypolicies")
@ShortNames("rp")
public class RecoveryPolicy extends CustomResource<RecoveryPolicySpec, RecoveryPolicyStatus> {}
