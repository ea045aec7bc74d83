package dev.rekindle.controller.network;

import java.util.List;

/**
 * What the controller keeps of a SpiderMultusConfig ({@code spiderpool.spidernet.io/v2beta1}): one
 * NIC of those pods that request it.
 *
 * @param network the network that it makes, {@code namespace/name}
 * @param rdmaGroup value of its label {@code cni.spidernet.io/rdma-resource-inject}; empty for none
 * @param networkGroup value of its label {@code cni.spidernet.io/network-resource-inject}
 * @param cniType {@code macvlan}, {@code sriov}, {@code ib-sriov}, ...
 * @param order what Spiderpool sorts the NICs of a group by, before the network's name
 * @param resource the extended resource of its devices; empty for none
 * @param ipv4 pools that it names, with wildcards
 * @param ipv6 the same of IPv6
 * @param withoutAddress whether its NICs get no address ({@code disableIPAM})
 */
public record MultusView(
    String network,
    String rdmaGroup,
    String networkGroup,
    String cniType,
    String order,
    String resource,
    List<String> ipv4,
    List<String> ipv6,
    boolean withoutAddress) {
  public MultusView {
    ipv4 = List.copyOf(ipv4);
    ipv6 = List.copyOf(ipv6);
  }
}
