package dev.rekindle.api;

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
public class NodeFault extends CustomResource<NodeFaultSpec, NodeFaultStatus> {}
