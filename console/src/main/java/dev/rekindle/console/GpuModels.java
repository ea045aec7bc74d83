package dev.rekindle.console;

import dev.rekindle.api.RecoveryPolicy;
import dev.rekindle.api.RecoveryPolicySpec;
import dev.rekindle.detect.ApiErrors;
import dev.rekindle.detect.SteadyClock;
import dev.rekindle.detect.policy.GpuPrices;
import dev.rekindle.logging.LogKey;
import dev.rekindle.page.Pricing;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeList;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prices, and which GPUs nodes have. Nodes are read only where a policy has a price for a model,
 * now and then and not on the way of a request: they hardly change, and each is a large object of
 * which one label is kept.
 */
@Singleton
class GpuModels {
  /** By which GPU feature discovery names the model of a node's GPUs. */
  private static final String PRODUCT = "nvidia.com/gpu.product";

  private static final Duration FRESH = Duration.ofMinutes(10);

  /** What is in memory at once of objects of some 20 KiB. */
  private static final long PART = 50;

  private static final int MOST = 50_000;

  private static final Logger LOG = LoggerFactory.getLogger(GpuModels.class);

  private final KubernetesClient client;
  private final SteadyClock clock = SteadyClock.system();
  private final AtomicBoolean reading = new AtomicBoolean();
  private volatile Map<String, String> products = Map.of();
  private volatile @Nullable Instant readAt;

  GpuModels(KubernetesClient client) {
    this.client = client;
  }

  /** By the policy's prices; without any where it has none or is not used. */
  Pricing pricing(Optional<RecoveryPolicy> policy) {
    GpuPrices prices =
        policy
            .filter(GpuModels::isUsed)
            .map(RecoveryPolicy::getSpec)
            .map(RecoveryPolicySpec::cost)
            .map(GpuPrices::of)
            .orElse(GpuPrices.NONE);
    if (prices.models().isEmpty()) {
      return new Pricing(prices, Map.of());
    }
    readWhereOld();
    return new Pricing(prices, products);
  }

  private static boolean isUsed(RecoveryPolicy policy) {
    return policy.getStatus() == null
        || policy.getStatus().conditions().stream()
            .noneMatch(c -> "Accepted".equals(c.getType()) && "False".equals(c.getStatus()));
  }

  private void readWhereOld() {
    Instant last = readAt;
    boolean old = last == null || clock.instant().isAfter(last.plus(FRESH));
    if (old && reading.compareAndSet(false, true)) {
      Thread.ofVirtual().name("read-gpu-models").start(this::read);
    }
  }

  private void read() {
    try {
      products = Map.copyOf(list());
    } catch (KubernetesClientException e) {
      LOG.atWarn()
          .addKeyValue(LogKey.ERROR.key(), ApiErrors.describe(e))
          .log("Nodes cannot be read; no price of a model is used");
    } finally {
      readAt = clock.instant();
      reading.set(false);
    }
  }

  private Map<String, String> list() {
    Map<String, String> found = new HashMap<>();
    String from = null;
    do {
      NodeList part =
          client
              .nodes()
              .withLabel(PRODUCT)
              .list(new ListOptionsBuilder().withLimit(PART).withContinue(from).build());
      for (Node node : part.getItems()) {
        found.put(node.getMetadata().getName(), node.getMetadata().getLabels().get(PRODUCT));
      }
      from = part.getMetadata() == null ? null : part.getMetadata().getContinue();
    } while (from != null && !from.isEmpty() && found.size() < MOST);
    return found;
  }
}
