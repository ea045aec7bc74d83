package dev.rekindle.simulator.setup;

import java.util.List;

/**
 * What Spiderpool offers at the start: every pod of a training job has a NIC on each rail, and its
 * address from a pool of the rail.
 *
 * @param rails rails, numbered from 1; 0 for a cluster without Spiderpool
 * @param pools its pools
 */
public record RailSetup(int rails, List<Pool> pools) {
  /** A cluster without Spiderpool. */
  public static final RailSetup NONE = new RailSetup(0, List.of());

  public RailSetup {
    pools = List.copyOf(pools);
  }

  /**
   * A pool.
   *
   * @param name its name
   * @param rail the rail that names it
   * @param leaf the leaf whose nodes it is for; empty for all
   * @param addresses how many it has
   */
  public record Pool(String name, int rail, String leaf, int addresses) {}
}
