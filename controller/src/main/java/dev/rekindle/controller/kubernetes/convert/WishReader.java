package dev.rekindle.controller.kubernetes.convert;

import dev.rekindle.controller.network.NetworkWish;
import dev.rekindle.controller.network.NetworkWish.NetworkRef;
import dev.rekindle.controller.network.NetworkWish.PoolChoice;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads which networks the annotations of a pod template request. They are a tenant's: texts and
 * lists are bounded, and what makes no sense is said and counts as absent. Never throws.
 */
public final class WishReader {
  /** The group of NICs that Spiderpool is to add, with RDMA. */
  public static final String RDMA_GROUP = "cni.spidernet.io/rdma-resource-inject";

  /** The same without RDMA. */
  public static final String NETWORK_GROUP = "cni.spidernet.io/network-resource-inject";

  /** Networks beside the default one, as Multus takes them. */
  public static final String NETWORKS = "k8s.v1.cni.cncf.io/networks";

  static final String DEFAULT_NETWORK = "v1.multus-cni.io/default-network";
  static final String POOL = "ipam.spidernet.io/ippool";
  static final String POOLS = "ipam.spidernet.io/ippools";
  private static final List<String> SUBNETS =
      List.of("ipam.spidernet.io/subnet", "ipam.spidernet.io/subnets");

  private static final int MAX_TEXT = 16 * 1024;
  private static final int MAX_NICS = 64;
  private static final int MAX_POOLS = 64;

  private final Map<String, String> annotations;
  private final List<String> unreadable = new ArrayList<>();

  private WishReader(Map<String, String> annotations) {
    this.annotations = annotations;
  }

  /** What these annotations request. */
  public static NetworkWish of(Map<String, String> annotations) {
    return new WishReader(annotations).read();
  }

  private NetworkWish read() {
    String rdma = group(RDMA_GROUP);
    String network = group(NETWORK_GROUP);
    List<NetworkRef> networks = networks(NETWORKS);
    List<NetworkRef> first = networks(DEFAULT_NETWORK);
    List<PoolChoice> pools = pools();
    boolean subnets = SUBNETS.stream().anyMatch(annotations::containsKey);
    NetworkWish wish =
        new NetworkWish(
            rdma,
            network,
            networks,
            first.isEmpty() ? null : first.getFirst(),
            pools,
            subnets,
            unreadable);
    return wish.equals(NetworkWish.NONE) ? NetworkWish.NONE : wish;
  }

  private @Nullable String group(String key) {
    String value = annotations.get(key);
    if (value != null && value.length() > MAX_NAME) {
      unreadable.add(key + " is longer than " + MAX_NAME + " characters");
      return null;
    }
    return value;
  }

  /** The longest value of a label, by which groups are found. */
  private static final int MAX_NAME = 63;

  private List<NetworkRef> networks(String key) {
    String text = Objects.requireNonNullElse(annotations.get(key), "").strip();
    if (text.isEmpty()) {
      return List.of();
    }
    if (text.length() > MAX_TEXT) {
      return unreadable(key, "is longer than %d characters".formatted(MAX_TEXT));
    }
    List<NetworkRef> refs = text.startsWith("[") || text.startsWith("{") ? json(text) : plain(text);
    if (refs.isEmpty()) {
      return unreadable(key, "names no network");
    }
    return refs.size() > MAX_NICS
        ? unreadable(key, "names more than %d networks".formatted(MAX_NICS))
        : refs;
  }

  private static List<NetworkRef> json(String text) {
    Object parsed = JsonText.parse(text, MAX_TEXT).orElse(List.of());
    List<NetworkRef> refs = new ArrayList<>();
    for (Object entry : parsed instanceof List<?> list ? list : List.of(parsed)) {
      Map<?, ?> network = JsonText.map(entry);
      String name = JsonText.name(network.get("name"));
      if (name.isEmpty()) {
        return List.of();
      }
      refs.add(
          new NetworkRef(
              JsonText.name(network.get("namespace")),
              name,
              JsonText.name(network.get("interface"))));
    }
    return refs;
  }

  /** {@code namespace/name@nic}, with commas between. */
  private static List<NetworkRef> plain(String text) {
    List<NetworkRef> refs = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      String entry = part.strip();
      int at = entry.indexOf('@');
      String full = at < 0 ? entry : entry.substring(0, at);
      int slash = full.indexOf('/');
      String name = full.substring(slash + 1);
      if (name.isEmpty() || name.indexOf('/') >= 0) {
        return List.of();
      }
      refs.add(
          new NetworkRef(
              slash < 0 ? "" : full.substring(0, slash),
              name,
              at < 0 ? "" : entry.substring(at + 1)));
    }
    return refs;
  }

  /** {@code ippools} wins over {@code ippool}. */
  private List<PoolChoice> pools() {
    if (annotations.get(POOLS) != null) {
      return choices(Objects.requireNonNull(annotations.get(POOLS)));
    }
    String one = annotations.get(POOL);
    if (one == null) {
      return List.of();
    }
    Optional<PoolChoice> choice =
        JsonText.parse(one, MAX_TEXT)
            .filter(Map.class::isInstance)
            .map(map -> choice(JsonText.map(map)));
    return choice.filter(c -> !c.ipv4().isEmpty() || !c.ipv6().isEmpty()).stream()
            .toList()
            .isEmpty()
        ? unreadable(POOL, "is no JSON object with a list of pools under ipv4 or ipv6")
        : choice.stream().toList();
  }

  private List<PoolChoice> choices(String text) {
    List<?> entries = JsonText.list(JsonText.parse(text, MAX_TEXT).orElse(List.of()));
    if (entries.isEmpty() || entries.size() > MAX_NICS) {
      return unreadable(POOLS, "is no JSON list of NICs with their pools");
    }
    List<PoolChoice> choices = new ArrayList<>();
    Set<String> nics = new HashSet<>();
    for (Object entry : entries) {
      PoolChoice choice = choice(JsonText.map(entry));
      if (choice.nic().isEmpty()) {
        return unreadable(POOLS, "does not name the interface of each entry");
      }
      if (!nics.add(choice.nic())) {
        return unreadable(POOLS, "names an interface twice");
      }
      choices.add(choice);
    }
    return choices;
  }

  private static PoolChoice choice(Map<?, ?> entry) {
    return new PoolChoice(
        JsonText.name(entry.get("interface")),
        JsonText.names(entry.get("ipv4"), MAX_POOLS),
        JsonText.names(entry.get("ipv6"), MAX_POOLS));
  }

  private <T> List<T> unreadable(String key, String why) {
    unreadable.add(key + " " + why);
    return List.of();
  }
}
