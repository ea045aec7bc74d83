package dev.rekindle.controller.recovery;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.detect.checkpoint.nvrx.NvrxLocalFormat;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Room for the gang on the nodes that have its checkpoint, where not all nodes reach it. */
final class CheckpointRoom {
  private CheckpointRoom() {}

  /**
   * Why the gang cannot start where its checkpoint is; empty where it may. A loader that fetches
   * the parts of other nodes may start anywhere. Where one node alone could be inspected, nothing
   * shows whether others have the same files: the path may be shared by all.
   */
  static Optional<String> missing(
      RecoverySnapshot s, JobView job, PinnedCheckpoint pin, Collection<String> excluded) {
    if (pin.verdict() != CheckpointVerdict.VALID
        || pin.nodes().size() < 2
        || pin.format().equals(NvrxLocalFormat.NAME)) {
      return Optional.empty();
    }
    Set<String> having = Set.copyOf(pin.nodes());
    List<String> others =
        Stream.concat(
                excluded.stream(),
                s.nodes().keySet().stream().filter(node -> !having.contains(node)))
            .distinct()
            .toList();
    return GangRoom.missing(s, job, others)
        .map(
            why ->
                "step %d is on the disks of %s alone, and there is no room: %s"
                    .formatted(
                        pin.step(),
                        pin.nodes().stream().limit(4).collect(Collectors.joining(", ")),
                        why));
  }
}
