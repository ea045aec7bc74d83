package dev.rekindle.simulator.process;

import dev.rekindle.api.Transport;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.RankView;
import java.util.List;
import java.util.Optional;

/** Controllers that are broken on purpose: they mistake what carries the data of a gang. */
public final class BrokenNetworks {
  private static final Transport RDMA =
      new Transport(1, 1, 0, List.of("IB"), List.of("mlx5_0"), 1, 2, 2, 0, "");

  private BrokenNetworks() {}

  /** 34: does not read that a job requires RDMA. */
  public static Reconcilers.Factory deafToRequiredRdma() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Optional<JobView> job(JobKey key) {
                return super.job(key).map(job -> job.withRequiresRdma(false));
              }
            });
  }

  /** 34: takes each rank for one on RDMA, whatever its lines say. */
  public static Reconcilers.Factory takingEveryRankForOneOnRdma() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<RankView> ranks(JobKey key) {
                return super.ranks(key).stream().map(rank -> rank.withTransport(RDMA)).toList();
              }
            });
  }
}
