package dev.rekindle.api;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;

/**
 * What the agent of one node has done for one {@link RestartOrder}, which owns it: one object for a
 * node, written once for each instruction carried out, whatever the number of pods. Its name is
 * that of {@link ReportName}. It has no status of its own, so that the first report is one write as
 * well.
 */
@Group("rekindle.dev")
@Version("v1alpha1")
@ShortNames("rsr")
@AdditionalPrinterColumn(name = "Order", jsonPath = ".spec.order")
@AdditionalPrinterColumn(name = "Node", jsonPath = ".spec.node")
@AdditionalPrinterColumn(name = "Done", jsonPath = ".spec.done")
@AdditionalPrinterColumn(name = "Problem", jsonPath = ".spec.problem")
@AdditionalPrinterColumn(
    name = "Age",
    jsonPath = ".metadata.creationTimestamp",
    type = AdditionalPrinterColumn.Type.DATE)
public class RestartReport extends CustomResource<RestartReportSpec, Void> implements Namespaced {}
