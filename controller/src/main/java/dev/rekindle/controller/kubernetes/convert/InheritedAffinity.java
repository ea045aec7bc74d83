package dev.rekindle.controller.kubernetes.convert;

import dev.rekindle.controller.model.Labels;
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

/** Where the pods of a training job may run, for a pod of ours beside them. */
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
    NodeSelectorRequirement exclusion =
        new NodeSelectorRequirementBuilder()
            .withKey(Labels.HOSTNAME)
            .withOperator("NotIn")
            .withValues(excludedHostnames)
            .build();
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
}
