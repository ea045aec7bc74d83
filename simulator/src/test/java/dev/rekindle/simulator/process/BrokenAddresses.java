package dev.rekindle.simulator.process;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.network.ClusterNetworks;
import java.time.Duration;
import java.util.List;

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
}
