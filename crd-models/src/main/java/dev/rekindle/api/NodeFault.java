package dev.rekindle.api;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;

/**
 * One fault of one thing on one node. Cluster-scoped. The name is a function of (node, component,
 * code), so a repeat updates the object and never multiplies it.
 */
@Group("rekindle.dev")
@Version("v1alpha1")
@ShortNames("nf")
@AdditionalPrinterColumn(name = "Node", jsonPath = ".spec.node")
@AdditionalPrinterColumn(name = "Component", jsonPath = ".spec.componentId")
@AdditionalPrinterColumn(name = "Code", jsonPath = ".spec.code")
@AdditionalPrinterColumn(name = "Fence", jsonPath = ".spec.fence")
@AdditionalPrinterColumn(name = "State", jsonPath = ".status.state")
@AdditionalPrinterColumn(
    name = "Count",
    jsonPath = ".status.count",
    type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(
    name = "Last-Seen",
    jsonPath = ".status.lastSeen",
    type = AdditionalPrinterColumn.Type.DATE)
@AdditionalPrinterColumn(name = "Evidence", jsonPath = ".spec.evidence", priority = 1)
public class NodeFault extends CustomResource<NodeFaultSpec, NodeFaultStatus> {}
