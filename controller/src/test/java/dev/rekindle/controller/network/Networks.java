package dev.rekindle.controller.network;

import dev.rekindle.controller.network.NetworkWish.NetworkRef;
import dev.rekindle.controller.network.NetworkWish.PoolChoice;
import dev.rekindle.controller.network.PoolView.Booking;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Spiderpool's objects for tests: two rails, and leaves a and b by label. */
public final class Networks {
  /** The group of the two rails. */
  public static final String GROUP = "gpu-net";

  /** The webhook that adds it. */
  public static final WebhookView WEBHOOK =
      new WebhookView("spiderpool-controller", true, "spiderpool/spiderpool-controller");

  /** What a template requests that names the group. */
  public static final NetworkWish BY_GROUP =
      new NetworkWish(GROUP, null, List.of(), null, List.of(), false, List.of());

  private Networks() {}

  /** The resource of a rail. */
  public static String resource(int rail) {
    return "spidernet.io/gpu" + rail;
  }

  /** An open pool for all nodes, with so many addresses; of these some pods have one. */
  public static PoolView pool(String name, long total, Booking... given) {
    return new PoolView(
        name,
        false,
        false,
        false,
        Set.of(),
        LabelRule.ANY,
        Set.of(),
        Set.of(),
        total,
        List.of(given));
  }

  /** The same for nodes of one leaf. */
  public static PoolView ofLeaf(String leaf, PoolView pool) {
    return pool.withNodeAffinity(new LabelRule(Map.of("leaf", leaf), List.of()));
  }

  /** The config of a rail, with these pools. */
  public static MultusView rail(int rail, String... pools) {
    return new MultusView(
        "spiderpool/gpu" + rail,
        GROUP,
        "",
        "macvlan",
        "ens" + rail,
        resource(rail),
        List.of(pools),
        List.of(),
        false);
  }

  /** A cluster with these pools: those that begin with {@code r1} are of rail 1, and so on. */
  public static ClusterNetworks cluster(PoolView... pools) {
    List<MultusView> rails = new ArrayList<>();
    for (int rail = 1; rail <= 2; rail++) {
      String prefix = "r" + rail;
      String[] own =
          List.of(pools).stream()
              .map(PoolView::name)
              .filter(n -> n.startsWith(prefix))
              .toArray(String[]::new);
      if (own.length > 0) {
        rails.add(rail(rail, own));
      }
    }
    return new ClusterNetworks(List.of(pools), rails, List.of(), List.of(WEBHOOK));
  }

  /** What a template requests that names its pools for each NIC. */
  static NetworkWish byPools(List<NetworkRef> networks, PoolChoice... pools) {
    return new NetworkWish(null, null, networks, null, List.of(pools), false, List.of());
  }
}
