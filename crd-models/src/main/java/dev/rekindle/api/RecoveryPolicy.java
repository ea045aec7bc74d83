package dev.rekindle.api;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;

/**
 * Limits and times of recoveries. Cluster-scoped; {@code default} applies to every job that names
 * no other policy, and limits all others.
 */
@Group("rekindle.dev")
@Version("v1alpha1")
@Plural("recoverypolicies")
@ShortNames("rp")
@AdditionalPrinterColumn(name = "Mode", jsonPath = ".spec.mode")
@AdditionalPrinterColumn(
    name = "Restarts",
    jsonPath = ".spec.budget.maxRestarts",
    type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(
    name = "Window",
    jsonPath = ".spec.budget.windowSeconds",
    type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(
    name = "Accepted",
    jsonPath = ".status.conditions[?(@.type==\"Accepted\")].status")
@AdditionalPrinterColumn(
    name = "Age",
    jsonPath = ".metadata.creationTimestamp",
    type = AdditionalPrinterColumn.Type.DATE)
public class RecoveryPolicy extends CustomResource<RecoveryPolicySpec, RecoveryPolicyStatus> {}
