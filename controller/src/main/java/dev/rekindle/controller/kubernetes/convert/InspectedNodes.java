package dev.rekindle.controller.kubernetes.convert;

import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Nodes whose own files an inspector reads, written down on its Job: another process that reads it
 * once the gang is gone must know which reports are missing.
 *
 * @param nodes names of the nodes that it inspects
 * @param hostnames their values of {@code kubernetes.io/hostname}
 * @param away names of nodes of the gang that it does not inspect
 */
public record InspectedNodes(List<String> nodes, List<String> hostnames, List<String> away) {
  private static final String NODES = "rekindle.dev/inspected-nodes";
  private static final String AWAY = "rekindle.dev/nodes-out-of-reach";

  public InspectedNodes {
    nodes = List.copyOf(nodes);
    hostnames = List.copyOf(hostnames);
    away = List.copyOf(away);
  }

  Map<String, String> annotations() {
    return Map.of(NODES, String.join(",", nodes), AWAY, String.join(",", away));
  }

  /** Those of a Job; empty where it inspects what all nodes reach alike. */
  public static Optional<InspectedNodes> of(Job job) {
    Map<String, String> annotations = job.getMetadata().getAnnotations();
    String nodes = annotations == null ? "" : annotations.getOrDefault(NODES, "");
    return annotations == null || nodes.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new InspectedNodes(split(nodes), List.of(), split(annotations.getOrDefault(AWAY, ""))));
  }

  private static List<String> split(String text) {
    return Stream.of(text.split(",", -1)).filter(n -> !n.isEmpty()).limit(4096).toList();
  }
}
