package dev.rekindle.controller.kubernetes.convert;

import dev.rekindle.controller.model.Annotations;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.Labels;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Our part of a pod's node affinity. What was added last time is replaced, what users wrote stays
 * as it is.
 *
 * <p>The scheduler reads {@code nodeSelectorTerms} as alternatives (ORed) and the expressions of a
 * term as conditions (ANDed), so an exclusion holds only if it stands in every term. A term without
 * any condition matches no node; it is left alone, for with an exclusion in it it would match.
 *
 * @param excludedHostnames values of label {@code kubernetes.io/hostname} to avoid
 * @param avoidedHostnames values of that label that other nodes are preferred to
 * @param preferredTopology topology label to values to be near; no values: better without the label
 * @param plannedHostnames values of {@code kubernetes.io/hostname} that are preferred to all others
 * @param plannedForMaster whether the master alone is to go to these, and the others elsewhere
 */
record AffinityPatch(
    List<String> excludedHostnames,
    List<String> avoidedHostnames,
    Map<String, List<String>> preferredTopology,
    List<String> plannedHostnames,
    boolean plannedForMaster) {
  /** Adds nothing. */
  static final AffinityPatch NOTHING =
      new AffinityPatch(List.of(), List.of(), Map.of(), List.of(), false);

  private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
  private static final String PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";
  private static final String TERMS = "nodeSelectorTerms";
  private static final String EXPRESSIONS = "matchExpressions";

  /** The most that Kubernetes takes. */
  private static final int WEIGHT = 100;

  AffinityPatch {
    excludedHostnames = List.copyOf(excludedHostnames);
    avoidedHostnames = List.copyOf(avoidedHostnames);
    preferredTopology = new TreeMap<>(preferredTopology);
    plannedHostnames = List.copyOf(plannedHostnames);
  }

  /**
   * The same that takes new pods to these nodes, and keeps them off none of them; empty for where
   * the rest leads.
   */
  AffinityPatch planning(List<String> hostnames) {
    return new AffinityPatch(
        excludedHostnames.stream().filter(n -> !hostnames.contains(n)).toList(),
        avoidedHostnames,
        preferredTopology,
        hostnames,
        false);
  }

  /** What of it is for the pods of one replica type. */
  AffinityPatch of(String type) {
    if (!plannedForMaster) {
      return this;
    }
    boolean master = type.equals(Replica.MASTER);
    return new AffinityPatch(
        excludedHostnames,
        master
            ? avoidedHostnames.stream().filter(n -> !plannedHostnames.contains(n)).toList()
            : Stream.of(avoidedHostnames, plannedHostnames)
                .flatMap(List::stream)
                .distinct()
                .sorted()
                .toList(),
        preferredTopology,
        master ? plannedHostnames : List.of(),
        false);
  }

  /** What the annotations of a job say was placed last time. */
  static AffinityPatch remembered(Map<String, ?> annotations) {
    Map<String, List<String>> topology = new TreeMap<>();
    if (annotations.get(Annotations.PREFERRED_TOPOLOGY) instanceof String text) {
      for (String entry : text.split(";", -1)) {
        int at = entry.indexOf('=');
        if (at > 0) {
          topology.put(entry.substring(0, at), split(entry.substring(at + 1)));
        }
      }
    }
    return new AffinityPatch(
        names(annotations, Annotations.EXCLUDED_NODES),
        names(annotations, Annotations.AVOIDED_NODES),
        topology,
        names(annotations, Annotations.PLANNED_NODES),
        Replica.MASTER.equals(annotations.get(Annotations.PLANNED_FOR)));
  }

  private static List<String> names(Map<String, ?> annotations, String key) {
    return annotations.get(key) instanceof String text ? split(text) : List.of();
  }

  /** Writes down in the annotations of a job what is placed now. */
  void remember(Map<String, @Nullable Object> annotations) {
    putOrRemove(annotations, Annotations.EXCLUDED_NODES, String.join(",", excludedHostnames));
    putOrRemove(annotations, Annotations.AVOIDED_NODES, String.join(",", avoidedHostnames));
    putOrRemove(annotations, Annotations.PLANNED_NODES, String.join(",", plannedHostnames));
    putOrRemove(annotations, Annotations.PLANNED_FOR, plannedForMaster ? Replica.MASTER : "");
    List<String> entries = new ArrayList<>();
    preferredTopology.forEach((key, values) -> entries.add(key + "=" + String.join(",", values)));
    putOrRemove(annotations, Annotations.PREFERRED_TOPOLOGY, String.join(";", entries));
  }

  /** Puts our part into a pod spec in the place of the part remembered. */
  void replace(AffinityPatch former, Map<String, @Nullable Object> podSpec) {
    Map<String, @Nullable Object> affinity = JsonTree.child(podSpec, "affinity");
    Map<String, @Nullable Object> node = JsonTree.child(affinity, "nodeAffinity");
    Map<String, @Nullable Object> required = JsonTree.child(node, REQUIRED);
    JsonTree.setOrRemove(required, TERMS, terms(former, JsonTree.objects(required, TERMS)));
    JsonTree.setOrRemove(node, PREFERRED, preferences(former, JsonTree.objects(node, PREFERRED)));
    JsonTree.prune(node, REQUIRED);
    JsonTree.prune(affinity, "nodeAffinity");
    JsonTree.prune(podSpec, "affinity");
  }

  private List<Map<String, @Nullable Object>> terms(
      AffinityPatch former, List<Map<String, @Nullable Object>> given) {
    List<Map<String, @Nullable Object>> terms = new ArrayList<>();
    for (Map<String, @Nullable Object> term : given) {
      List<Map<String, @Nullable Object>> conditions = JsonTree.objects(term, EXPRESSIONS);
      boolean hadOurs =
          !former.excludedHostnames.isEmpty() && removeLast(conditions, former::isExclusion);
      boolean onlyOurs = hadOurs && conditions.isEmpty() && !term.containsKey("matchFields");
      if (onlyOurs) {
        continue;
      }
      boolean matchesNothing = conditions.isEmpty() && !term.containsKey("matchFields");
      if (!excludedHostnames.isEmpty() && !matchesNothing) {
        conditions.add(exclusion());
      }
      if (hadOurs || !conditions.isEmpty()) {
        JsonTree.setOrRemove(term, EXPRESSIONS, conditions);
      }
      terms.add(term);
    }
    if (terms.isEmpty() && !excludedHostnames.isEmpty()) {
      Map<String, @Nullable Object> term = new LinkedHashMap<>();
      term.put(EXPRESSIONS, new ArrayList<>(List.of(exclusion())));
      terms.add(term);
    }
    return terms;
  }

  private Map<String, @Nullable Object> exclusion() {
    return expression(Labels.HOSTNAME, "NotIn", excludedHostnames);
  }

  /** Whether Rekindle has written this condition on a label. */
  boolean isExclusion(String key, String operator, List<String> values) {
    return !excludedHostnames.isEmpty()
        && Labels.HOSTNAME.equals(key)
        && "NotIn".equals(operator)
        && new HashSet<>(values).equals(new HashSet<>(excludedHostnames));
  }

  private boolean isExclusion(Map<String, @Nullable Object> condition) {
    return Labels.HOSTNAME.equals(condition.get("key"))
        && "NotIn".equals(condition.get("operator"))
        && condition.get("values") instanceof List<?> values
        && new HashSet<>(values).equals(new HashSet<>(excludedHostnames));
  }

  private List<Map<String, @Nullable Object>> preferences(
      AffinityPatch former, List<Map<String, @Nullable Object>> given) {
    List<Map<String, @Nullable Object>> preferences = new ArrayList<>(given);
    former.ownPreferences().forEach(ours -> removeLast(preferences, ours::equals));
    preferences.addAll(ownPreferences());
    return preferences;
  }

  private List<Map<String, @Nullable Object>> ownPreferences() {
    List<Map<String, @Nullable Object>> preferences = new ArrayList<>();
    if (!avoidedHostnames.isEmpty()) {
      preferences.add(weighted(expression(Labels.HOSTNAME, "NotIn", avoidedHostnames), WEIGHT));
    }
    if (!plannedHostnames.isEmpty()) {
      preferences.add(weighted(expression(Labels.HOSTNAME, "In", plannedHostnames), WEIGHT));
    }
    int weight = topologyWeight();
    preferredTopology.forEach(
        (key, values) -> preferences.add(weighted(preferred(key, values), weight)));
    return preferences;
  }

  /**
   * A node that is avoided, or not planned, does not win by being near, whatever the number of
   * labels.
   */
  private int topologyWeight() {
    return (avoidedHostnames.isEmpty() && plannedHostnames.isEmpty()) || preferredTopology.isEmpty()
        ? WEIGHT
        : Math.max(1, (WEIGHT - 1) / preferredTopology.size());
  }

  private static Map<String, @Nullable Object> weighted(
      Map<String, @Nullable Object> condition, int weight) {
    Map<String, @Nullable Object> preference = new LinkedHashMap<>();
    preference.put(EXPRESSIONS, new ArrayList<>(List.of(condition)));
    Map<String, @Nullable Object> weighted = new LinkedHashMap<>();
    weighted.put("weight", weight);
    weighted.put("preference", preference);
    return weighted;
  }

  /** A label without values is one that a node had better not carry. */
  private static Map<String, @Nullable Object> preferred(String key, List<String> values) {
    Map<String, @Nullable Object> expression = expression(key, "In", values);
    if (values.isEmpty()) {
      expression.put("operator", "DoesNotExist");
      expression.remove("values");
    }
    return expression;
  }

  private static Map<String, @Nullable Object> expression(
      String key, String operator, List<String> values) {
    Map<String, @Nullable Object> expression = new LinkedHashMap<>();
    expression.put("key", key);
    expression.put("operator", operator);
    expression.put("values", new ArrayList<>(values));
    return expression;
  }

  /** Ours were added last, so of two alike the last one is ours. */
  private static <E> boolean removeLast(List<E> list, java.util.function.Predicate<E> which) {
    for (int i = list.size() - 1; i >= 0; i--) {
      if (which.test(list.get(i))) {
        list.remove(i);
        return true;
      }
    }
    return false;
  }

  private static List<String> split(String text) {
    return text.isEmpty() ? List.of() : List.of(text.split(",", -1));
  }

  private static void putOrRemove(
      Map<String, @Nullable Object> annotations, String key, String value) {
    if (value.isEmpty()) {
      annotations.remove(key);
    } else {
      annotations.put(key, value);
    }
  }
}
