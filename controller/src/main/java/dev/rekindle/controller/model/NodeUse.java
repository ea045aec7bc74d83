package dev.rekindle.controller.model;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What live pods of training jobs hold of a node.
 *
 * @param gpus GPUs
 * @param requests all that they request
 * @param jobs UIDs of their jobs
 */
public record NodeUse(long gpus, Amounts requests, Set<String> jobs) {
  public NodeUse {
    jobs = Set.copyOf(jobs);
  }

  /** What those of these pods hold that are live; empty where none is. */
  public static Optional<NodeUse> of(List<PodView> pods) {
    List<PodView> live = pods.stream().filter(PodView::live).toList();
    return live.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new NodeUse(
                live.stream().mapToLong(PodView::gpus).sum(),
                live.stream().map(PodView::requests).reduce(Amounts.NONE, Amounts::plus),
                live.stream().map(PodView::jobUid).collect(Collectors.toSet())));
  }
}
