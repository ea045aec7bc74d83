package dev.rekindle.simulator.process;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.network.ClusterNetworks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** Controllers that are broken on purpose: what they do to pods with addresses of Spiderpool. */
public final class BrokenAddresses {
  private BrokenAddresses() {}

  /** Removes each pod by force at once. */
  public static Reconcilers.Factory forcingAtOnce() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void deletePod(JobKey job, String pod, String uid, Duration grace) {
                gateway.deletePod(job, pod, uid, Duration.ZERO);
              }
            });
  }

  /** 62: ignores pools. */
  public static Reconcilers.Factory blind() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public ClusterNetworks networks() {
                return ClusterNetworks.NONE;
              }
            });
  }

  /** 63: does not see whose the addresses of a pool are. */
  public static Reconcilers.Factory blindToBookings() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public ClusterNetworks networks() {
                ClusterNetworks all = super.networks();
                return new ClusterNetworks(
                    all.pools().stream().map(p -> p.withBookings(List.of())).toList(),
                    all.configs(),
                    all.namespaces(),
                    all.webhooks());
              }
            });
  }

  /** 47: takes a Node that was deleted for one that does not answer. */
  public static Reconcilers.Factory takingGoneNodesForSilentOnes() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              private final Map<String, NodeView> known = new ConcurrentHashMap<>();

              @Override
              public List<NodeView> nodes() {
                List<NodeView> there = super.nodes();
                List<NodeView> all = new ArrayList<>(there);
                Set<String> names = there.stream().map(NodeView::name).collect(Collectors.toSet());
                known.values().stream()
                    .filter(node -> !names.contains(node.name()))
                    .map(node -> node.withReadiness(NodeView.Readiness.SILENT))
                    .forEach(all::add);
                there.forEach(node -> known.put(node.name(), node));
                return all;
              }
            });
  }
}
