package dev.rekindle.controller.cache;

import dev.rekindle.controller.model.FaultView;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** NodeFaults by node and by code: existing ones, and some deleted ones. */
final class NodeFaults {
  private final Table<FaultView> faults = new Table<>();
  private final Table<FaultView>.Index<String> byNode = faults.index(FaultView::node);
  private final Table<FaultView>.Index<String> byCode = faults.index(FaultView::code);
  private final DeletedFaultCache deleted = new DeletedFaultCache();
  private final NodeFaultLimit limit = new NodeFaultLimit();

  /** The faults of the node that are there. */
  List<FaultView> on(String node) {
    return byNode.get(node);
  }

  /** Names of nodes that have faults, in order. */
  List<String> nodes() {
    return byNode.properties().stream().sorted().toList();
  }

  /** The faults of the code that are there, then those that were deleted. */
  List<FaultView> ofCode(String code) {
    return Stream.concat(byCode.get(code).stream(), deleted.ofCode(code).stream()).toList();
  }

  /** How many faults of the node are not taken in. */
  int leftOut(String node) {
    return limit.leftOut(node);
  }

  /**
   * Where NodeFaults are delivered.
   *
   * @param changed takes each fault that changed
   * @param crowded takes each node of which the first fault is left out
   */
  ViewFeed<FaultView> feed(Consumer<FaultView> changed, Consumer<String> crowded) {
    ViewFeed<FaultView> views = new TableFeed<>(faults, changed);
    return new ViewFeed<>() {
      @Override
      public void present(String key, @Nullable String resourceVersion, FaultView view) {
        boolean held = faults.get(key).isPresent();
        if (held || !limit.leavesOut(view.node(), key, byNode.count(view.node()))) {
          views.present(key, resourceVersion, view);
        } else if (limit.leftOut(view.node()) == 1) {
          crowded.accept(view.node());
        }
      }

      @Override
      public void gone(String key, @Nullable String resourceVersion) {
        limit.gone(key);
        // Before anything reads what its going changes.
        faults.get(key).ifPresent(deleted::add);
        views.gone(key, resourceVersion);
      }
    };
  }
}
