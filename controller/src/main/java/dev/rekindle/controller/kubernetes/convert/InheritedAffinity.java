package dev.rekindle.controller.kubernetes.convert;

import dev.rekindle.controller.model.Labels;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.NodeAffinity;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirementBuilder;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.NodeSelectorTermBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Where the pods of a training job may run, for a Rekindle pod beside them. */
final class InheritedAffinity {
  private InheritedAffinity() {}

  /**
   * The node affinity of theirs, less these nodes. Terms are alternatives, so the exclusion stands
   * in each; one without conditions matches none.
   *
   * @param excludedHostnames values of {@code kubernetes.io/hostname}
   */
  static @Nullable NodeAffinity of(PodSpec theirs, List<String> excludedHostnames) {
    NodeAffinity given =
        theirs.getAffinity() == null ? null : theirs.getAffinity().getNodeAffinity();
    if (excludedHostnames.isEmpty()) {
      return given;
    }
    NodeSelectorRequirement exclusion = hostname("NotIn", excludedHostnames);
    List<NodeSelectorTerm> terms = new ArrayList<>();
    var required = given == null ? null : given.getRequiredDuringSchedulingIgnoredDuringExecution();
    if (required == null || required.getNodeSelectorTerms().isEmpty()) {
      terms.add(new NodeSelectorTerm(List.of(exclusion), List.of()));
    } else {
      for (NodeSelectorTerm term : required.getNodeSelectorTerms()) {
        boolean empty = term.getMatchExpressions().isEmpty() && term.getMatchFields().isEmpty();
        terms.add(
            empty
                ? term
                : new NodeSelectorTermBuilder(term).addToMatchExpressions(exclusion).build());
      }
    }
    return Objects.requireNonNullElseGet(given, NodeAffinity::new).toBuilder()
        .withNewRequiredDuringSchedulingIgnoredDuringExecution()
        .withNodeSelectorTerms(terms)
        .endRequiredDuringSchedulingIgnoredDuringExecution()
        .build();
  }

  /** Pods on these nodes, one on each: of two pods of that Job none shares a node. */
  static Affinity oneOnEach(List<String> hostnames, String job) {
    return new AffinityBuilder()
        .withNewNodeAffinity()
        .withNewRequiredDuringSchedulingIgnoredDuringExecution()
        .withNodeSelectorTerms(new NodeSelectorTerm(List.of(hostname("In", hostnames)), List.of()))
        .endRequiredDuringSchedulingIgnoredDuringExecution()
        .endNodeAffinity()
        .withNewPodAntiAffinity()
        .addNewRequiredDuringSchedulingIgnoredDuringExecution()
        .withTopologyKey(Labels.HOSTNAME)
        .withNewLabelSelector()
        .addToMatchLabels(InspectorJob.JOB_LABEL, job)
        .endLabelSelector()
        .endRequiredDuringSchedulingIgnoredDuringExecution()
        .endPodAntiAffinity()
        .build();
  }

  private static NodeSelectorRequirement hostname(String operator, List<String> hostnames) {
    return new NodeSelectorRequirementBuilder()
        .withKey(Labels.HOSTNAME)
        .withOperator(operator)
        .withValues(hostnames)
        .build();
  }
}
