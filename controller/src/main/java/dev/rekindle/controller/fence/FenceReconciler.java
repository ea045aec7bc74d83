package dev.rekindle.controller.fence;

import dev.rekindle.controller.cluster.ClusterGateway;
import dev.rekindle.controller.cluster.ClusterState;
import dev.rekindle.controller.cluster.FaultView;
import dev.rekindle.controller.cluster.NodeView;
import dev.rekindle.controller.journal.Announcement;
import dev.rekindle.controller.journal.Reason;
import dev.rekindle.controller.runtime.Reconciler;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lifts our cordon once no fault that fences is left on the node: an SRE deleted the NodeFault
 * after the repair, or it was cleared. A cordon without our mark is never lifted.
 *
 * <p>It does so whether or not the recovery that fenced is over: a recovery cordons only while a
 * fault that fences stands, so the two never take turns.
 */
public final class FenceReconciler implements Reconciler<String> {
  private static final Logger LOG = LoggerFactory.getLogger(FenceReconciler.class);

  private final ClusterState state;
  private final ClusterGateway gateway;

  /** Takes what it reads from and what it acts through. */
  public FenceReconciler(ClusterState state, ClusterGateway gateway) {
    this.state = state;
    this.gateway = gateway;
  }

  @Override
  public Optional<Duration> reconcile(String name) {
    Optional<NodeView> node = state.node(name);
    if (node.isPresent() && mayRelease(node.get(), state.faults(name))) {
      LOG.atInfo()
          .addKeyValue("node", name)
          .addKeyValue("recovery", node.get().fencedBy())
          .log("no fault that fences is left; the fence is lifted");
      gateway.release(name);
      gateway.announce(
          Announcement.onNode(
              name,
              Reason.NODE_RELEASED,
              "no fault that fences is left; fenced by " + node.get().fencedBy()));
    }
    return Optional.empty();
  }

  /** Whether a node's fence is ours and has lost its reason. */
  static boolean mayRelease(NodeView node, List<FaultView> faults) {
    return node.fencedByUs() && faults.stream().noneMatch(FaultView::fences);
  }
}
