package dev.rekindle.controller.model;

import dev.rekindle.controller.model.NodeRoom.NodeTaint;
import dev.rekindle.controller.network.NetworkWish;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the pods of a replica type need of a node, as their template has it.
 *
 * @param requests what each requests
 * @param nodeSelector labels that its node must carry
 * @param terms required node affinity: one of them must hold; empty for none
 * @param tolerations taints that it bears
 * @param onePerNode whether a required anti-affinity keeps the pods of the job on different nodes
 * @param networks what its annotations say of networks
 * @param claims PersistentVolumeClaims that it names
 * @param volumes of those that they are bound to, the ones that not all nodes reach; none where
 *     they were not looked up
 */
public record PodNeeds(
    Amounts requests,
    Map<String, String> nodeSelector,
    List<Term> terms,
    List<Toleration> tolerations,
    boolean onePerNode,
    NetworkWish networks,
    List<String> claims,
    List<BoundVolume> volumes) {
  /** Nothing, or not known. */
  public static final PodNeeds NONE =
      new PodNeeds(Amounts.NONE, Map.of(), List.of(), List.of(), false);

  /** Of a template that says nothing of networks. */
  public PodNeeds(
      Amounts requests,
      Map<String, String> nodeSelector,
      List<Term> terms,
      List<Toleration> tolerations,
      boolean onePerNode) {
    this(requests, nodeSelector, terms, tolerations, onePerNode, NetworkWish.NONE);
  }

  /** Of a template without claims. */
  public PodNeeds(
      Amounts requests,
      Map<String, String> nodeSelector,
      List<Term> terms,
      List<Toleration> tolerations,
      boolean onePerNode,
      NetworkWish networks) {
    this(requests, nodeSelector, terms, tolerations, onePerNode, networks, List.of(), List.of());
  }

  public PodNeeds {
    nodeSelector = Map.copyOf(nodeSelector);
    terms = List.copyOf(terms);
    tolerations = List.copyOf(tolerations);
    claims = List.copyOf(claims);
    volumes = List.copyOf(volumes);
  }

  /** Whether node selector and required node affinity let the pods onto the node. */
  public boolean selects(NodeView node) {
    boolean carries =
        nodeSelector.entrySet().stream()
            .allMatch(e -> e.getValue().equals(node.labels().get(e.getKey())));
    return carries && (terms.isEmpty() || terms.stream().anyMatch(t -> t.holds(node)));
  }

  /** The same of pods that request other amounts. */
  public PodNeeds withRequests(Amounts others) {
    return new PodNeeds(
        others, nodeSelector, terms, tolerations, onePerNode, networks, claims, volumes);
  }

  /** The same of pods that name these claims. */
  public PodNeeds withClaims(List<String> others) {
    return new PodNeeds(
        requests, nodeSelector, terms, tolerations, onePerNode, networks, others, volumes);
  }

  /** The same where of these volumes those of its claims are known. */
  public PodNeeds withVolumes(Collection<BoundVolume> known) {
    List<BoundVolume> own =
        known.stream().filter(volume -> claims.contains(volume.claim())).toList();
    return new PodNeeds(
        requests, nodeSelector, terms, tolerations, onePerNode, networks, claims, own);
  }

  /** A volume that a pod could not have on the node; empty where there is none. */
  public Optional<BoundVolume> outOfReach(NodeView node) {
    return volumes.stream().filter(volume -> !volume.isReachedFrom(node)).findFirst();
  }

  /** Whether the pods bear the taint. */
  public boolean tolerates(NodeTaint taint) {
    return tolerations.stream().anyMatch(t -> t.bears(taint));
  }

  /**
   * One alternative of a node affinity.
   *
   * @param onLabels conditions on labels; all must hold
   * @param onName conditions on the node's name; all must hold
   */
  public record Term(List<Condition> onLabels, List<Condition> onName) {
    public Term {
      onLabels = List.copyOf(onLabels);
      onName = List.copyOf(onName);
    }

    /** A term without any condition matches no node, as the scheduler has it. */
    boolean holds(NodeView node) {
      return !(onLabels.isEmpty() && onName.isEmpty())
          && onLabels.stream().allMatch(c -> c.holds(node.labels()))
          && onName.stream().allMatch(c -> c.holds(Map.of(c.key(), node.name())));
    }
  }

  /**
   * A condition on a label.
   *
   * @param operator {@code In}, {@code NotIn}, {@code Exists}, {@code DoesNotExist}, {@code Gt},
   *     {@code Lt}
   */
  public record Condition(String key, String operator, List<String> values) {
    public Condition {
      values = List.copyOf(values);
    }

    boolean holds(Map<String, String> labels) {
      String value = labels.get(key);
      return switch (operator) {
        case "In" -> value != null && values.contains(value);
        case "NotIn" -> value == null || !values.contains(value);
        case "Exists" -> value != null;
        case "DoesNotExist" -> value == null;
        case "Gt", "Lt" -> value != null && values.size() == 1 && compares(value);
        // What this version does not know may hold: the scheduler has the last word.
        default -> true;
      };
    }

    private boolean compares(String value) {
      try {
        int order = Long.compare(Long.parseLong(value), Long.parseLong(values.getFirst()));
        return operator.equals("Gt") ? order > 0 : order < 0;
      } catch (NumberFormatException noNumber) {
        return false;
      }
    }
  }

  /**
   * A toleration.
   *
   * @param key of the taint; empty for any
   * @param exists whether any value is borne
   * @param value the value that is, otherwise
   * @param effect of the taint; empty for any
   */
  public record Toleration(String key, boolean exists, String value, String effect) {
    boolean bears(NodeTaint taint) {
      return (effect.isEmpty() || effect.equals(taint.effect()))
          && (key.isEmpty() ? exists : key.equals(taint.key()))
          && (exists || value.equals(taint.value()));
    }
  }
}
