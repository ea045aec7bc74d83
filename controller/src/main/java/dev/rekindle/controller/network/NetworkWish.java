package dev.rekindle.controller.network;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the annotations of a pod template say of networks, as they stand there; nothing of it is
 * resolved yet.
 *
 * @param rdmaGroup {@code cni.spidernet.io/rdma-resource-inject}; absent without it
 * @param networkGroup {@code cni.spidernet.io/network-resource-inject}; absent without it
 * @param networks {@code k8s.v1.cni.cncf.io/networks}
 * @param defaultNetwork {@code v1.multus-cni.io/default-network}; absent without it
 * @param pools {@code ipam.spidernet.io/ippools}, or {@code ippool} as one choice without a NIC
 * @param subnets whether pools are made for the job from a subnet ({@code subnet}, {@code subnets})
 * @param unreadable which annotations make no sense, and why, for people
 */
public record NetworkWish(
    @Nullable String rdmaGroup,
    @Nullable String networkGroup,
    List<NetworkRef> networks,
    @Nullable NetworkRef defaultNetwork,
    List<PoolChoice> pools,
    boolean subnets,
    List<String> unreadable) {
  /** None. */
  public static final NetworkWish NONE =
      new NetworkWish(null, null, List.of(), null, List.of(), false, List.of());

  public NetworkWish {
    networks = List.copyOf(networks);
    pools = List.copyOf(pools);
    unreadable = List.copyOf(unreadable);
  }

  /**
   * A network.
   *
   * @param namespace its namespace; empty for that of the pod
   * @param name its name
   * @param nic name of the NIC; empty for {@code net1}, {@code net2} by place
   */
  public record NetworkRef(String namespace, String name, String nic) {
    /** Its full name for a pod of that namespace. */
    String in(String podNamespace) {
      return (namespace.isEmpty() ? podNamespace : namespace) + "/" + name;
    }
  }

  /**
   * Pools, with wildcards.
   *
   * @param nic the NIC that they are for; empty for each
   */
  public record PoolChoice(String nic, List<String> ipv4, List<String> ipv6) {
    public PoolChoice {
      ipv4 = List.copyOf(ipv4);
      ipv6 = List.copyOf(ipv6);
    }
  }
}
