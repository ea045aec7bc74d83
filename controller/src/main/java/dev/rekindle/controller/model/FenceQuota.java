package dev.rekindle.controller.model;

import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How many nodes may be fenced within a day for the programs of one namespace: who can make
 * programs crash on purpose must not empty the breaker for everybody else. What is fenced for
 * anything that no program can cause is never counted and never withheld.
 *
 * @param namespaces whose programs are all there is to say against the node; empty where there is
 *     more
 * @param fenced names of the nodes fenced lately for each namespace
 * @param most nodes for one namespace
 */
public record FenceQuota(Set<String> namespaces, Map<String, Set<String>> fenced, int most) {
  /** Of a fence that rests on no namespace. */
  public static final FenceQuota NONE = new FenceQuota(Set.of(), Map.of(), Integer.MAX_VALUE);

  public FenceQuota {
    namespaces = Set.copyOf(namespaces);
    fenced =
        fenced.entrySet().stream()
            .collect(
                Collectors.toUnmodifiableMap(Map.Entry::getKey, e -> Set.copyOf(e.getValue())));
  }

  /** The nodes fenced lately for each namespace, as last seen. */
  public static Map<String, Set<String>> fenced(Collection<NodeView> nodes, Instant now) {
    Map<String, Set<String>> fenced = new HashMap<>();
    nodes.stream()
        .filter(node -> !node.fencedFor().isEmpty())
        .forEach(
            node ->
                FencedFor.parse(node.fencedFor())
                    .within(now)
                    .forEach(
                        namespace ->
                            fenced
                                .computeIfAbsent(namespace, _ -> new HashSet<>())
                                .add(node.name())));
    return fenced;
  }

  /**
   * What would be passed, in words for people; empty when nothing.
   *
   * @param node the one to be fenced as well, whether or not it is among those that are
   * @param also further nodes fenced for a namespace, which no watch has shown yet
   */
  public Optional<String> passed(String node, Map<String, Set<String>> also) {
    return namespaces.stream()
        .sorted()
        .filter(namespace -> others(namespace, node, also) >= most)
        .findFirst()
        .map(
            namespace ->
                "the quota of namespace %s: %d nodes within %d h (maxFencedPerNamespace)"
                    .formatted(namespace, most, FencedFor.WINDOW.toHours()));
  }

  private long others(String namespace, String node, Map<String, Set<String>> also) {
    return Stream.concat(
            fenced.getOrDefault(namespace, Set.of()).stream(),
            also.getOrDefault(namespace, Set.of()).stream())
        .filter(other -> !other.equals(node))
        .distinct()
        .count();
  }
}
