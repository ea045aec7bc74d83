package dev.rekindle.agent.app;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rekindle.watch.AnswerLimit;
import dev.rekindle.watch.BoundedLists;
import dev.rekindle.watch.StoredJson;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/**
 * The client of the agent, which runs on every node and so has only the types that the agent needs.
 */
public final class AgentClient {
  private AgentClient() {}

  /** A client for the cluster that the environment names. */
  static KubernetesClient connect() {
    // Short: a call that hangs must not hold up the loops for long, and they try again themselves.
    var config =
        new ConfigBuilder(Config.autoConfigure(null))
            .withRequestTimeout(5_000)
            .withConnectionTimeout(5_000)
            .withRequestRetryBackoffLimit(1)
            .build();
    return new KubernetesClientBuilder()
        .withConfig(config)
        .withKubernetesSerialization(known(StoredJson.ofRequestedTypes()))
        .withHttpClientBuilderConsumer(
            http ->
                http.addOrReplaceInterceptor(BoundedLists.NAME, new BoundedLists())
                    .addOrReplaceInterceptor(AnswerLimit.NAME, new AnswerLimit()))
        .build();
  }

  /**
   * Reads and writes objects without searching for the types of every API that the library has,
   * some seven hundred classes. Types that the agent requests are registered as it does; a status
   * comes unasked, when the API server ends a watch. What the agent keeps itself is read by it as
   * well, and a time in it that is none is refused.
   */
  public static KubernetesSerialization json() {
    return known(new KubernetesSerialization(new ObjectMapper(), false));
  }

  private static KubernetesSerialization known(KubernetesSerialization json) {
    json.registerKubernetesResource(Status.class);
    return json;
  }
}
