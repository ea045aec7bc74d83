package dev.rekindle.controller.kubernetes;

import dev.rekindle.api.RecoveryPolicy;
import dev.rekindle.controller.model.PolicyProblems;
import dev.rekindle.detect.ApiErrors;
import dev.rekindle.detect.policy.GpuPrices;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads what GPUs cost and which nodes have, with the rights of a person. Who may list Recoveries
 * need not be allowed to read either: a report is made without them, and says so.
 */
public final class PriceCalls {
  /** By which GPU feature discovery names the model of a node's GPUs. */
  private static final String PRODUCT = "nvidia.com/gpu.product";

  private static final String POLICY = "default";

  private final KubernetesClient client;
  private final List<String> notes = new ArrayList<>();

  /** Calls with that client. */
  public PriceCalls(KubernetesClient client) {
    this.client = client;
  }

  /** Those of the policy {@code default}; none where it has none or cannot be used. */
  public GpuPrices prices() {
    RecoveryPolicy policy;
    try {
      policy = client.resources(RecoveryPolicy.class).withName(POLICY).get();
    } catch (KubernetesClientException e) {
      notes.add("Prices could not be read: " + ApiErrors.describe(e));
      return GpuPrices.NONE;
    }
    if (policy == null || policy.getSpec() == null || policy.getSpec().cost() == null) {
      return GpuPrices.NONE;
    }
    List<String> problems = PolicyProblems.of(policy.getSpec());
    if (!problems.isEmpty()) {
      notes.add("RecoveryPolicy default cannot be used: " + String.join("; ", problems));
      return GpuPrices.NONE;
    }
    return GpuPrices.of(policy.getSpec().cost());
  }

  /** The model of the GPUs of each node that says it and is still there. */
  public Map<String, String> products() {
    Map<String, String> products = new HashMap<>();
    try {
      client
          .nodes()
          .withLabel(PRODUCT)
          .list()
          .getItems()
          .forEach(node -> product(node.getMetadata(), products));
    } catch (KubernetesClientException e) {
      notes.add(
          "Nodes could not be read, so no price of a model is used: " + ApiErrors.describe(e));
    }
    return products;
  }

  private static void product(ObjectMeta node, Map<String, String> products) {
    Optional.ofNullable(node.getLabels())
        .map(labels -> labels.get(PRODUCT))
        .ifPresent(product -> products.put(node.getName(), product));
  }

  /** What could not be read, a sentence each. */
  public List<String> notes() {
    return List.copyOf(notes);
  }
}
