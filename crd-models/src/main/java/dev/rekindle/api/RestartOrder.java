package dev.rekindle.api;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;

/**
 * What the agents have to do for one attempt to restart a gang in place: small, as every agent
 * watches it, and written once for each instruction. Named like the attempt, owned by its Recovery.
 * Only the controller writes it; a deleted order means that whatever is frozen for it is thawed.
 */
@Group("rekindle.dev")
@Version("v1alpha1")
@ShortNames("ro")
@AdditionalPrinterColumn(name = "Job", jsonPath = ".spec.jobRef.name")
@AdditionalPrinterColumn(name = "Instruction", jsonPath = ".spec.instruction")
@AdditionalPrinterColumn(name = "Until", jsonPath = ".spec.until")
@AdditionalPrinterColumn(
    name = "Age",
    jsonPath = ".metadata.creationTimestamp",
    type = AdditionalPrinterColumn.Type.DATE)
public class RestartOrder extends CustomResource<RestartOrderSpec, Void> implements Namespaced {}
