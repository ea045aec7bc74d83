package dev.rekindle.controller.recovery;

import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.api.RestartReportSpec.PodRestart;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RestartView;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What agents report on an order. The report of an agent counts for pods on its own node only:
 * otherwise a compromised node could report that running containers of other nodes are frozen or
 * dead, and two generations of a gang would meet.
 */
final class NodeReports {
  private NodeReports() {}

  /** The reports of nodes that carry pods of the gang, without what they say of pods elsewhere. */
  static List<RestartView> of(List<PodView> pods, List<RestartView> reports) {
    Map<String, String> nodes = nodes(pods);
    return reports.stream()
        .filter(r -> nodes.containsValue(r.spec().node()))
        .map(r -> own(r, nodes))
        .toList();
  }

  /** How many pods the report speaks of that are on another node, as far as they are known. */
  static long foreign(List<PodView> pods, RestartView report) {
    Map<String, String> nodes = nodes(pods);
    return report.spec().pods().stream()
        .map(p -> nodes.getOrDefault(p.podUid(), report.spec().node()))
        .filter(node -> !node.equals(report.spec().node()))
        .count();
  }

  private static RestartView own(RestartView report, Map<String, String> nodes) {
    RestartReportSpec spec = report.spec();
    List<PodRestart> own =
        spec.pods().stream().filter(p -> spec.node().equals(nodes.get(p.podUid()))).toList();
    return new RestartView(
        report.namespace(),
        report.name(),
        new RestartReportSpec(
            spec.order(),
            spec.orderUid(),
            spec.node(),
            spec.job(),
            spec.done(),
            spec.problem(),
            own,
            spec.time(),
            spec.ranks().stream().filter(r -> spec.node().equals(nodes.get(r.podUid()))).toList(),
            spec.ranksLeftOut()));
  }

  private static Map<String, String> nodes(List<PodView> pods) {
    Map<String, String> nodes = new HashMap<>();
    pods.stream().filter(p -> !p.node().isEmpty()).forEach(p -> nodes.put(p.uid(), p.node()));
    return nodes;
  }
}
