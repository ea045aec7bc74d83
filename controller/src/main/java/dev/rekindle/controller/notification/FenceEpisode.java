package dev.rekindle.controller.notification;

import dev.rekindle.controller.model.NodeView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A Rekindle fence on a node, from when it was first seen to when it was seen to be gone. A node
 * has no memory of a fence that was lifted, so these are stored.
 *
 * @param node name of the node
 * @param nodeUid UID of the node: another one of the name is another node
 * @param by the recovery that fenced it, or {@code fault/NAME}
 * @param since when it was first seen
 * @param until when it was seen to be gone; absent while it is there
 */
public record FenceEpisode(
    String node, String nodeUid, String by, Instant since, @Nullable Instant until) {
  /** Most that are kept: a cluster of which more is fenced has other worries. */
  static final int MOST = 1_000;

  private static final int LONGEST_BY = 317;

  public FenceEpisode {
    by = by.length() > LONGEST_BY ? by.substring(0, LONGEST_BY) : by;
  }

  private boolean open() {
    return until == null;
  }

  private FenceEpisode endedAt(Instant now) {
    return new FenceEpisode(node, nodeUid, by, since, now);
  }

  /**
   * What is known once all nodes are read.
   *
   * @param known what was known before
   * @param age a fence that is gone for so long is forgotten
   */
  static List<FenceEpisode> next(
      List<FenceEpisode> known, List<NodeView> nodes, Instant now, Duration age) {
    Map<String, NodeView> fenced =
        nodes.stream()
            .filter(n -> n.fencedByUs() && !n.uid().isEmpty())
            .collect(Collectors.toMap(NodeView::uid, Function.identity(), (one, _) -> one));
    List<FenceEpisode> next = new ArrayList<>();
    for (FenceEpisode episode : known) {
      Instant until = episode.until();
      if (until == null) {
        boolean there = fenced.remove(episode.nodeUid()) != null;
        next.add(there ? episode : episode.endedAt(now));
      } else if (until.isAfter(now.minus(age))) {
        next.add(episode);
      }
    }
    fenced.values().stream()
        .sorted(Comparator.comparing(NodeView::name))
        .forEach(n -> next.add(new FenceEpisode(n.name(), n.uid(), n.fencedBy(), now, null)));
    return next.size() <= MOST ? List.copyOf(next) : newest(next);
  }

  /** What is over goes first. */
  private static List<FenceEpisode> newest(List<FenceEpisode> all) {
    return all.stream()
        .sorted(
            Comparator.comparing(FenceEpisode::open)
                .reversed()
                .thenComparing(FenceEpisode::since, Comparator.reverseOrder()))
        .limit(MOST)
        .toList();
  }

  /** What there is to say of it; what happened by the given time is left out. */
  List<Notification> notifications(Instant after) {
    List<Notification> all = new ArrayList<>();
    if (since.isAfter(after)) {
      all.add(Notification.of(this, NotificationType.NODE_FENCED, since));
    }
    if (until != null && until.isAfter(after)) {
      all.add(Notification.of(this, NotificationType.NODE_RELEASED, until));
    }
    return all;
  }
}
