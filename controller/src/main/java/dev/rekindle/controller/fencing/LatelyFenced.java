package dev.rekindle.controller.fencing;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Slots given lately for namespaces, by a monotonic clock: one that is set meanwhile would forget
 * them (seed 95024688). For one thread at a time, the one that writes.
 */
final class LatelyFenced {
  /** A watch shows a cordon, with what it was for, long before. */
  private static final Duration UNSEEN = Duration.ofMinutes(10);

  private final Map<String, Given> byNode = new HashMap<>();

  private record Given(Set<String> namespaces, Instant at) {}

  synchronized void add(List<SlotRequest.Take> takes, Instant steady) {
    byNode.values().removeIf(g -> Duration.between(g.at(), steady).compareTo(UNSEEN) > 0);
    takes.stream()
        .filter(take -> !take.limit().quota().namespaces().isEmpty())
        .forEach(
            take -> byNode.put(take.node(), new Given(take.limit().quota().namespaces(), steady)));
  }

  synchronized Map<String, Set<String>> with(
      List<SlotRequest.Take> takes, Map<String, Set<String>> also, Instant steady) {
    Map<String, Set<String>> nodes = new HashMap<>();
    also.forEach((namespace, fenced) -> fenced.forEach(node -> put(nodes, namespace, node)));
    byNode.forEach(
        (node, given) -> {
          if (Duration.between(given.at(), steady).compareTo(UNSEEN) <= 0) {
            given.namespaces().forEach(n -> put(nodes, n, node));
          }
        });
    takes.forEach(
        take -> take.limit().quota().namespaces().forEach(n -> put(nodes, n, take.node())));
    return nodes;
  }

  static void put(Map<String, Set<String>> nodes, String namespace, String node) {
    nodes.computeIfAbsent(namespace, _ -> new HashSet<>()).add(node);
  }
}
