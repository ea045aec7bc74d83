package dev.rekindle.controller.network;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the annotations of a namespace say of the networks of its pods.
 *
 * @param name its name
 * @param rdmaGroup {@code cni.spidernet.io/rdma-resource-inject}; absent without it
 * @param networkGroup {@code cni.spidernet.io/network-resource-inject}; absent without it
 * @param ipv4 {@code ipam.spidernet.io/default-ipv4-ippool}
 * @param ipv6 {@code ipam.spidernet.io/default-ipv6-ippool}
 */
public record NamespaceView(
    String name,
    @Nullable String rdmaGroup,
    @Nullable String networkGroup,
    List<String> ipv4,
    List<String> ipv6) {
  /** One without such annotations. */
  public static NamespaceView plain(String name) {
    return new NamespaceView(name, null, null, List.of(), List.of());
  }

  public NamespaceView {
    ipv4 = List.copyOf(ipv4);
    ipv6 = List.copyOf(ipv6);
  }

  /** Whether it names default pools. */
  public boolean hasDefaultPools() {
    return !ipv4.isEmpty() || !ipv6.isEmpty();
  }
}
