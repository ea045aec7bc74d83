package dev.rekindle.simulator.world;

import dev.rekindle.api.Transport;
import dev.rekindle.simulator.world.RankProcess.State;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the log of a rank says of the network that NCCL uses: once its ranks have met. */
final class RankNetworks {
  private static final Transport RDMA =
      new Transport(1, 1, 0, List.of("IB"), List.of("mlx5_0"), 1, 2, 2, 0, "2.21.5");

  private static final Transport TCP =
      new Transport(1, 0, 1, List.of("Socket"), List.of(), 0, 0, 0, 2, "2.21.5");

  private RankNetworks() {}

  static @Nullable Transport lines(RankProcess process) {
    if (process.state == State.STARTING || process.state == State.WAITING) {
      return null;
    }
    return switch (process.program.lines()) {
      case NONE -> null;
      case TRUE -> of(process);
      case MOST -> Math.floorMod(process.podUid.hashCode(), 4) == 0 ? null : of(process);
      case FORGED -> RDMA;
    };
  }

  private static Transport of(RankProcess process) {
    return process.machine.rdma() ? RDMA : TCP;
  }
}
