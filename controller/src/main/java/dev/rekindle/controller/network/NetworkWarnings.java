package dev.rekindle.controller.network;

import dev.rekindle.controller.network.NetworkProblem.Kind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What about networks will keep a job from coming back, before anything has happened. */
public final class NetworkWarnings {
  private static final Pattern VERSION = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})\\.(\\d{1,4}).*");

  private NetworkWarnings() {}

  /**
   * All that is found.
   *
   * @param asked the NICs that pods of a template get
   * @param faulty nodes with a fault
   */
  public static List<NetworkProblem> of(
      RequestedNetworks asked, Installation spiderpool, Collection<String> faulty) {
    List<NetworkProblem> found = new ArrayList<>(asked.problems());
    asked.nics().forEach(nic -> spare(nic, spiderpool.networks(), found));
    boolean injected = asked.nics().stream().anyMatch(Nic::injected);
    if (injected) {
      webhook(spiderpool, faulty, found);
    }
    if (!asked.nics().isEmpty()) {
      old(spiderpool.version())
          .map(d -> new NetworkProblem(Kind.OLD_VERSION, d))
          .ifPresent(found::add);
    }
    return found;
  }

  /** What is wrong with a version of Spiderpool; empty where nothing is known to be. */
  public static Optional<String> old(String version) {
    return isOld(version)
        ? Optional.of(
            "Spiderpool %s keeps addresses of pods that come back under their names (fixed in"
                    .formatted(version)
                + " 0.9.13, 1.0.4 and 1.1.0)")
        : Optional.empty();
  }

  private static void spare(Nic nic, ClusterNetworks networks, List<NetworkProblem> found) {
    for (Nic.Family family : nic.families()) {
      List<PoolView> pools =
          networks.pools().stream().filter(p -> family.pools().contains(p.name())).toList();
      boolean spare = pools.stream().anyMatch(p -> !p.closed() && p.free(List.of()).orElse(1) > 0);
      if (!pools.isEmpty() && !spare) {
        found.add(
            new NetworkProblem(
                Kind.NO_SPARE_ADDRESS,
                "no address left for %s in %s"
                    .formatted(nic.title(), String.join(", ", family.pools()))));
      }
    }
  }

  private static void webhook(
      Installation spiderpool, Collection<String> faulty, List<NetworkProblem> found) {
    List<String> nodes = spiderpool.webhookNodes();
    if (nodes.stream().distinct().count() != 1) {
      return;
    }
    String node = nodes.getFirst();
    found.add(
        new NetworkProblem(
            Kind.WEBHOOK_NOT_SPARE,
            "all pods of its webhook are on node %s%s"
                .formatted(node, faulty.contains(node) ? ", which has a fault" : "")));
    if (spiderpool.networks().webhooks().stream().anyMatch(WebhookView::refusesPodsWhenDown)) {
      found.add(
          new NetworkProblem(
              Kind.WEBHOOK_REFUSES_PODS,
              "failurePolicy is Fail: without that node no pod can be made"));
    }
  }

  /** By when an endpoint of a pod before was no longer kept (spiderpool#4916). */
  static boolean isOld(String version) {
    Matcher numbers = VERSION.matcher(version);
    if (!numbers.matches()) {
      return false;
    }
    int major = Integer.parseInt(numbers.group(1));
    int minor = Integer.parseInt(numbers.group(2));
    int patch = Integer.parseInt(numbers.group(3));
    if (major == 0) {
      return minor < 9 || (minor == 9 && patch < 13);
    }
    return major == 1 && minor == 0 && patch < 4;
  }
}
