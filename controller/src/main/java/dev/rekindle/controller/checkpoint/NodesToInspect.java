package dev.rekindle.controller.checkpoint;

import static dev.rekindle.api.RecoveryPhase.RECOVERED;

import dev.rekindle.api.CauseReason;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.Annotations;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.RecoveryView;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * On which nodes the checkpoints of a gang are inspected, where each node has files of its own.
 * Pure.
 */
public sealed interface NodesToInspect {
  /** More are not inspected side by side: each read is one call for each node. */
  int MOST = 32;

  /**
   * These.
   *
   * @param nodes names of the nodes that are inspected
   * @param hostnames their values of {@code kubernetes.io/hostname}
   * @param away names of nodes of the gang that cannot be inspected
   */
  record Some(List<String> nodes, List<String> hostnames, List<String> away)
      implements NodesToInspect {
    public Some {
      nodes = List.copyOf(nodes);
      hostnames = List.copyOf(hostnames);
      away = List.copyOf(away);
    }
  }

  /** None, and why. */
  record None(String reason) implements NodesToInspect {}

  /**
   * Chooses.
   *
   * @param directory directory of the checkpoints
   * @param gang names of the nodes that the gang was on, as far as that is known
   * @param views a node by its name
   * @param unfit nodes that the recovery avoids
   * @param others nodes that the gang may go to: where all of its own are away, one of these shows
   *     whether the path is the same storage there
   */
  static NodesToInspect of(
      String directory,
      Collection<String> gang,
      Function<String, Optional<NodeView>> views,
      Collection<String> unfit,
      Collection<NodeView> others) {
    String where = directory + " is a path of the host, ";
    if (gang.isEmpty()) {
      return new None(where + "and it is not known on which nodes the job was" + advice());
    }
    Map<Boolean, List<String>> usable =
        new TreeSet<>(gang)
            .stream().collect(Collectors.partitioningBy(n -> isUsable(views.apply(n), n, unfit)));
    List<String> present = Objects.requireNonNull(usable.get(true));
    if (present.isEmpty()) {
      present = witness(others, unfit);
    }
    if (present.isEmpty()) {
      return new None(where + "and no node of the job can be inspected: " + named(gang) + advice());
    }
    if (present.size() > MOST) {
      return new None(
          "%sand the job was on %d nodes; at most %d are inspected%s"
              .formatted(where, present.size(), MOST, advice()));
    }
    List<String> hostnames =
        present.stream()
            .map(n -> views.apply(n).map(NodeView::hostname).orElse(n))
            .distinct()
            .toList();
    return new Some(present, hostnames, Objects.requireNonNull(usable.get(false)));
  }

  private static List<String> witness(Collection<NodeView> others, Collection<String> unfit) {
    return others.stream()
        .filter(node -> isUsable(Optional.of(node), node.name(), unfit))
        .map(NodeView::name)
        .sorted()
        .limit(1)
        .toList();
  }

  /**
   * The nodes of the gang that trained last, as far as they are known: those that its pods are on,
   * and those that the recovery has written down. Where it was opened for a gang that had made no
   * step since another recovery failed to bring it back, the checkpoints are where the former gang
   * was, so that what the other one has written down belongs to it as well, and so on. Pods of a
   * gang that has found no place have written nothing.
   *
   * @param pods nodes of the pods that are there
   * @param recovery the recovery
   * @param all recoveries of the job
   */
  static NavigableSet<String> ofGang(
      Collection<String> pods, RecoveryView recovery, Collection<RecoveryView> all) {
    List<RecoveryView> before =
        all.stream()
            .filter(r -> r.spec().jobUid().equals(recovery.spec().jobUid()))
            .filter(r -> r.number() < recovery.number() && r.status() != null)
            .sorted(Comparator.comparingInt(RecoveryView::number).reversed())
            .toList();
    NavigableSet<String> nodes = new TreeSet<>();
    RecoveryView later = recovery;
    for (RecoveryView earlier : before) {
      if (madeSteps(later) || Objects.requireNonNull(earlier.status()).phase() == RECOVERED) {
        break;
      }
      nodes.addAll(writtenDown(Objects.requireNonNull(earlier.status())));
      later = earlier;
    }
    if (nodes.isEmpty() || !foundNoPlace(recovery)) {
      nodes.addAll(pods);
      Optional.ofNullable(recovery.status())
          .map(NodesToInspect::writtenDown)
          .ifPresent(nodes::addAll);
    }
    return nodes;
  }

  private static boolean madeSteps(RecoveryView recovery) {
    RecoveryStatus status = recovery.status();
    return status != null && status.cause() != null && status.cause().lastStep() != null;
  }

  /** Whether the gang that it was opened for has never been whole, and no other has come since. */
  private static boolean foundNoPlace(RecoveryView recovery) {
    RecoveryStatus status = recovery.status();
    return status != null
        && status.attempt() <= 1
        && status.cause() != null
        && status.cause().reason().equals(CauseReason.UNPLACED.word());
  }

  /** The nodes that a recovery has written down of its gang. */
  static List<String> writtenDown(RecoveryStatus status) {
    var plan = status.plan();
    var cause = status.cause();
    return Stream.of(
            plan == null ? List.<String>of() : plan.keptNodes(),
            cause == null ? List.<String>of() : cause.faultyNodes(),
            cause == null ? List.<String>of() : cause.silentNodes())
        .flatMap(List::stream)
        .distinct()
        .sorted()
        .toList();
  }

  private static boolean isUsable(Optional<NodeView> view, String name, Collection<String> unfit) {
    return view.filter(
            n -> n.readiness() == Readiness.READY && !n.unschedulable() && !n.fencedByUs())
        .filter(_ -> !unfit.contains(name))
        .isPresent();
  }

  private static String advice() {
    return "; with %s: \"true\" any node counts".formatted(Annotations.CHECKPOINT_SHARED);
  }

  private static String named(Collection<String> nodes) {
    return nodes.stream().sorted().limit(4).collect(Collectors.joining(", "))
        + (nodes.size() > 4 ? " and " + (nodes.size() - 4) + " more" : "");
  }
}
