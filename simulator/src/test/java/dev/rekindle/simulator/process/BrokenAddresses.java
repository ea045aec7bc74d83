package dev.rekindle.simulator.process;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.network.ClusterNetworks;
import java.time.Duration;

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

  /** Does not look at pools. */
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
}
