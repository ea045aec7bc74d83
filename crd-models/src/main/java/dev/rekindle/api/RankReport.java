package dev.rekindle.api;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;

/**
 * What the ranks of one pod show, written by the agent of its node and owned by the pod: deleted
 * with it.
 */
@Group("rekindle.dev")
@Version("v1alpha1")
@ShortNames("rr")
@AdditionalPrinterColumn(name = "Job", jsonPath = ".spec.job")
@AdditionalPrinterColumn(name = "Node", jsonPath = ".spec.node")
@AdditionalPrinterColumn(
    name = "Step",
    jsonPath = ".status.lastStep",
    type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(
    name = "Last-Step",
    jsonPath = ".status.lastStepTime",
    type = AdditionalPrinterColumn.Type.DATE)
@AdditionalPrinterColumn(
    name = "Age",
    jsonPath = ".metadata.creationTimestamp",
    type = AdditionalPrinterColumn.Type.DATE)
@AdditionalPrinterColumn(name = "Message", jsonPath = ".status.message", priority = 1)
public class RankReport extends CustomResource<RankReportSpec, RankReportStatus>
    implements Namespaced {}
