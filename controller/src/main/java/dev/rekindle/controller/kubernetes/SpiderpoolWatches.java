package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.kubernetes.OptionalWatch.Kind;
import dev.rekindle.controller.runtime.Backoff;
import dev.rekindle.detect.WatchedNamespaces;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Watches of Spiderpool's objects, and of what says which pods it serves: begun where its CRDs are
 * there. Where they are not, they are checked for every 30 s.
 */
final class SpiderpoolWatches {
  private static final String GROUP = "spiderpool.spidernet.io";
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final Kind POOLS = new Kind(GROUP, "spiderippools", "SpiderIPPool", false, SOON);
  private static final Kind CONFIGS =
      new Kind(GROUP, "spidermultusconfigs", "SpiderMultusConfig", true, SOON);
  private static final Kind ENDPOINTS =
      new Kind(GROUP, "spiderendpoints", "SpiderEndpoint", true, SOON);
  private static final Kind NAMESPACES = new Kind("", "namespaces", "Namespace", false, SOON);
  private static final Kind WEBHOOKS =
      new Kind(
          "admissionregistration.k8s.io",
          "mutatingwebhookconfigurations",
          "MutatingWebhookConfiguration",
          false,
          SOON);

  private SpiderpoolWatches() {}

  static List<Watch> of(
      KubernetesClient client,
      KubernetesFeeds feeds,
      WatchedNamespaces namespaces,
      ScheduledExecutorService timer,
      Backoff retry) {
    List<Watch> watches = new ArrayList<>();
    watches.add(new OptionalWatch(client, POOLS, feeds.pools(), timer, retry));
    watches.add(new OptionalWatch(client, CONFIGS, feeds.multusConfigs(), timer, retry));
    for (String namespace : namespaces.places()) {
      watches.add(new OptionalWatch(client, ENDPOINTS, namespace, feeds.endpoints(), timer, retry));
    }
    watches.add(new OptionalWatch(client, NAMESPACES, POOLS, feeds.namespaces(), timer, retry));
    watches.add(new OptionalWatch(client, WEBHOOKS, POOLS, feeds.webhooks(), timer, retry));
    return watches;
  }
}
