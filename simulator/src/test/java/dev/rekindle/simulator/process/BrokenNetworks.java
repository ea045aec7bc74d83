package dev.rekindle.simulator.process;

import dev.rekindle.api.Transport;
import java.util.List;

/** Controllers that are broken on purpose: they mistake what carries the data of a gang. */
public final class BrokenNetworks {
  private static final Transport RDMA =
      new Transport(1, 1, 0, List.of("IB"), List.of("mlx5_0"), 1, 2, 2, 0, "");

  private BrokenNetworks() {}

  /** 34: does not read that a job requires RDMA. */
  public static Reconcilers.Factory deafToRequiredRdma() {
    return Distorted.seeingJobs(job -> job.withRequiresRdma(false));
  }

  /** 34: takes each rank for one on RDMA, whatever its lines say. */
  public static Reconcilers.Factory takingEveryRankForOneOnRdma() {
    return Distorted.seeingRanks(rank -> rank.withTransport(RDMA));
  }
}
