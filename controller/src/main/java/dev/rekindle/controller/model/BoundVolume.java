package dev.rekindle.controller.model;

import dev.rekindle.controller.model.PodNeeds.Term;
import java.util.List;

/**
 * The PersistentVolume that a claim is bound to, where not all nodes reach it: a disk of one node,
 * or of one zone.
 *
 * @param claim name of the PersistentVolumeClaim
 * @param kind its driver, {@code lvm.hwameistor.io}, or {@code local}, {@code hostPath}; empty
 *     where it is not known
 * @param terms its required node affinity: one of them must hold
 */
public record BoundVolume(String claim, String kind, List<Term> terms) {
  public BoundVolume {
    terms = List.copyOf(terms);
  }

  /** Whether a pod that is there can have it. */
  public boolean isReachedFrom(NodeView node) {
    return terms.isEmpty() || terms.stream().anyMatch(term -> term.holds(node));
  }

  /** What it is called in a sentence: {@code claim data (lvm.hwameistor.io)}. */
  public String title() {
    return "claim " + claim + (kind.isEmpty() ? "" : " (" + kind + ")");
  }
}
