package dev.rekindle.controller.network;

import dev.rekindle.controller.network.NetworkProblem.Kind;
import dev.rekindle.controller.network.NetworkWish.NetworkRef;
import dev.rekindle.controller.network.Nic.Family;
import dev.rekindle.controller.network.Nic.PoolSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Resolves which NICs a new pod of a template gets. */
final class NetworkResolver {
  private final String namespace;
  private final NetworkWish wish;
  private final ClusterNetworks cluster;
  private final NamespaceView inNamespace;
  private final PoolChooser pools;
  private final Map<String, MultusView> configs;
  private final List<Nic> nics = new ArrayList<>();
  private final List<NetworkProblem> problems = new ArrayList<>();

  NetworkResolver(String namespace, NetworkWish wish, ClusterNetworks cluster) {
    this.namespace = namespace;
    this.wish = wish;
    this.cluster = cluster;
    this.inNamespace = cluster.namespace(namespace);
    this.pools = new PoolChooser(namespace, wish, cluster, this::problem);
    this.configs =
        cluster.configs().stream()
            .collect(Collectors.toMap(MultusView::network, Function.identity(), (a, _) -> a));
  }

  /** The NICs, and what will not work. */
  RequestedNetworks resolve() {
    wish.unreadable().forEach(why -> problem(Kind.UNREADABLE_ANNOTATION, why));
    defaultNetwork();
    Optional<List<MultusView>> group = group();
    if (group.isPresent()) {
      List<MultusView> members = group.get();
      for (int i = 0; i < members.size(); i++) {
        add("net" + (i + 1), members.get(i).network(), members.get(i), true);
      }
    } else {
      List<NetworkRef> named = wish.networks();
      for (int i = 0; i < named.size(); i++) {
        String nic = named.get(i).nic().isEmpty() ? "net" + (i + 1) : named.get(i).nic();
        String network = named.get(i).in(namespace);
        add(nic, network, configs.get(network), false);
      }
    }
    checkSharedPools();
    return new RequestedNetworks(nics, problems);
  }

  /** Whether Spiderpool answers for eth0 is known only where something says so. */
  private void defaultNetwork() {
    NetworkRef named = wish.defaultNetwork();
    boolean chosen = wish.pools().stream().anyMatch(c -> c.nic().equals("eth0"));
    boolean onlyOne = wish.networks().isEmpty() && groupName().isEmpty();
    boolean forEach = wish.pools().stream().anyMatch(c -> c.nic().isEmpty());
    if (named != null || chosen || (onlyOne && forEach)) {
      String network = named == null ? "" : named.in(namespace);
      MultusView config = configs.get(network);
      if (config != null || chosen || forEach) {
        add("eth0", network, config, false);
      }
    }
  }

  private record Group(String key, String value, Function<MultusView, String> label) {}

  /** The pod's annotation is asked before the namespace's, and RDMA before networks. */
  private Optional<Group> groupName() {
    String rdma = either(wish.rdmaGroup(), inNamespace.rdmaGroup());
    if (rdma != null) {
      return Optional.of(
          new Group("cni.spidernet.io/rdma-resource-inject", rdma, MultusView::rdmaGroup));
    }
    String network = either(wish.networkGroup(), inNamespace.networkGroup());
    return network == null
        ? Optional.empty()
        : Optional.of(
            new Group(
                "cni.spidernet.io/network-resource-inject", network, MultusView::networkGroup));
  }

  private static @Nullable String either(@Nullable String pods, @Nullable String namespaces) {
    return pods == null ? namespaces : pods;
  }

  /** The networks that Spiderpool's webhook adds; empty where it adds none. */
  private Optional<List<MultusView>> group() {
    Group group = groupName().orElse(null);
    if (group == null) {
      return Optional.empty();
    }
    String asked = group.key() + ": " + group.value();
    if (cluster.webhooks().isEmpty()) {
      problem(Kind.NO_INJECTION, asked + " is asked for, and no webhook adds its NICs");
      return Optional.empty();
    }
    List<MultusView> members =
        cluster.configs().stream()
            .filter(c -> !group.value().isEmpty() && group.label().apply(c).equals(group.value()))
            .sorted(Comparator.comparing(MultusView::order).thenComparing(MultusView::network))
            .toList();
    if (members.isEmpty()) {
      problem(Kind.UNKNOWN_GROUP, "no SpiderMultusConfig carries " + asked);
    }
    if (!wish.networks().isEmpty()) {
      problem(
          Kind.NETWORKS_REPLACED,
          asked + " replaces the networks that the pod template names itself");
    }
    members.stream()
        .filter(c -> c.resource().isEmpty() || (c.ipv4().isEmpty() && c.ipv6().isEmpty()))
        .forEach(
            c ->
                problem(
                    Kind.INCOMPLETE_CONFIG,
                    "SpiderMultusConfig %s of %s has no %s"
                        .formatted(
                            c.network(), asked, c.resource().isEmpty() ? "resource" : "pool")));
    return Optional.of(members);
  }

  private void add(String nic, String network, @Nullable MultusView config, boolean injected) {
    PoolSelection chosen = pools.select(nic, config);
    List<Family> families = new ArrayList<>();
    if (!chosen.ipv4().isEmpty()) {
      families.add(pools.family(nic, 4, chosen.ipv4(), network));
    }
    if (!chosen.ipv6().isEmpty()) {
      families.add(pools.family(nic, 6, chosen.ipv6(), network));
    }
    nics.add(
        new Nic(
            nic,
            network,
            config == null ? "" : config.cniType(),
            config == null ? "" : config.resource(),
            injected,
            chosen.source(),
            families));
    if (chosen.source() == PoolSource.NAMESPACE
        && config != null
        && !(config.ipv4().isEmpty() && config.ipv6().isEmpty())) {
      problem(
          Kind.DEFAULT_POOL_OVER_RAILS,
          "%s takes from the default pool of namespace %s, not from the pools of %s"
              .formatted(nic, namespace, network));
    }
  }

  private void checkSharedPools() {
    Map<String, String> users = new TreeMap<>();
    for (Nic nic : nics) {
      for (Family family : nic.families()) {
        for (String pool : family.pools()) {
          String other = users.putIfAbsent(pool, nic.name());
          if (other != null) {
            problem(
                Kind.SHARED_POOL,
                "%s and %s may both take from pool %s, and then get the same address"
                    .formatted(other, nic.name(), pool));
            return;
          }
        }
      }
    }
  }

  private void problem(Kind kind, String detail) {
    problems.add(new NetworkProblem(kind, detail));
  }
}
