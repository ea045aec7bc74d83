package dev.rekindle.controller.network;

import dev.rekindle.controller.network.NetworkProblem.Kind;
import dev.rekindle.controller.network.NetworkWish.PoolChoice;
import dev.rekindle.controller.network.Nic.Family;
import dev.rekindle.controller.network.Nic.PoolSource;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Chooses the pools of NICs, in Spiderpool's order of precedence. */
final class PoolChooser {
  private final String namespace;
  private final NetworkWish wish;
  private final ClusterNetworks cluster;
  private final NamespaceView inNamespace;
  private final BiConsumer<Kind, String> problem;

  /**
   * For pods of a template.
   *
   * @param problem takes what will not work
   */
  PoolChooser(
      String namespace,
      NetworkWish wish,
      ClusterNetworks cluster,
      BiConsumer<Kind, String> problem) {
    this.namespace = namespace;
    this.wish = wish;
    this.cluster = cluster;
    this.inNamespace = cluster.namespace(namespace);
    this.problem = problem;
  }

  /** The pools for a NIC. */
  PoolSelection select(String nic, @Nullable MultusView config) {
    if (config != null && config.withoutAddress()) {
      return PoolSelection.NOTHING;
    }
    if (wish.subnets()) {
      // Pools are made as pods come: nothing can be said of them before.
      return PoolSelection.NOTHING;
    }
    if (!wish.pools().isEmpty()) {
      return wish.pools().stream()
          .filter(c -> c.nic().isEmpty() || c.nic().equals(nic))
          .findFirst()
          .map((PoolChoice c) -> new PoolSelection(PoolSource.POD, c.ipv4(), c.ipv6()))
          .orElseGet(() -> unlisted(nic, config));
    }
    if (config == null) {
      return PoolSelection.NOTHING;
    }
    if (inNamespace.hasDefaultPools()) {
      return new PoolSelection(PoolSource.NAMESPACE, inNamespace.ipv4(), inNamespace.ipv6());
    }
    if (!config.ipv4().isEmpty() || !config.ipv6().isEmpty()) {
      return new PoolSelection(PoolSource.CONFIG, config.ipv4(), config.ipv6());
    }
    return new PoolSelection(PoolSource.CLUSTER, defaults(false), defaults(true));
  }

  /** Spiderpool gives such a NIC no address, and its pod does not start. */
  private PoolSelection unlisted(String nic, @Nullable MultusView config) {
    if (config != null) {
      problem.accept(
          Kind.UNREADABLE_ANNOTATION, "ipam.spidernet.io/ippools names no pools for " + nic);
    }
    return PoolSelection.NOTHING;
  }

  private List<String> defaults(boolean ipv6) {
    return cluster.pools().stream()
        .filter(p -> p.isDefault() && p.ipv6() == ipv6)
        .map(PoolView::name)
        .sorted()
        .toList();
  }

  /** The addresses of one version that a NIC gets. */
  Family family(String nic, int version, List<String> wanted, String network) {
    List<String> found =
        cluster.pools().stream()
            .filter(p -> p.ipv6() == (version == 6) && p.fitsNetwork(network))
            .filter(p -> p.namespaceNames().isEmpty() || p.namespaceNames().contains(namespace))
            .map(PoolView::name)
            .filter(p -> wanted.stream().anyMatch(w -> names(w, p)))
            .sorted()
            .toList();
    wanted.stream()
        .filter(w -> cluster.pools().stream().noneMatch(p -> names(w, p.name())))
        .forEach(w -> problem.accept(Kind.MISSING_POOL, "%s asks for pool %s".formatted(nic, w)));
    return new Family(version, wanted, found);
  }

  private static boolean names(String wanted, String pool) {
    return wanted.equals(pool) || (Wildcards.has(wanted) && Wildcards.match(wanted, pool));
  }
}
