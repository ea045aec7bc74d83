package dev.rekindle.api;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
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
@AdditionalPrinterColumn(name = "Job", jsonPath = ".spec.jobRef.name")
@AdditionalPrinterColumn(name = "Phase", jsonPath = ".status.phase")
@AdditionalPrinterColumn(name = "Cause", jsonPath = ".status.cause.reason")
@AdditionalPrinterColumn(name = "Nodes", jsonPath = ".status.plan.excludedNodes[*]")
@AdditionalPrinterColumn(
    name = "Step",
    jsonPath = ".status.outcome.resumedStep",
    type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(
    name = "Downtime",
    jsonPath = ".status.outcome.downtimeSeconds",
    type = AdditionalPrinterColumn.Type.NUMBER)
@AdditionalPrinterColumn(
    name = "Age",
    jsonPath = ".metadata.creationTimestamp",
    type = AdditionalPrinterColumn.Type.DATE)
@AdditionalPrinterColumn(name = "Message", jsonPath = ".status.cause.message", priority = 1)
public class Recovery extends CustomResource<RecoverySpec, RecoveryStatus> implements Namespaced {}
