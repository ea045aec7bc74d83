package dev.rekindle.controller.app;

import dev.rekindle.cli.RefusedException;
import dev.rekindle.cli.UsageException;
import dev.rekindle.controller.kubernetes.OperatorCalls;
import dev.rekindle.watch.AnswerLimit;
import dev.rekindle.watch.StoredJson;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.function.Supplier;

/** The cluster of a person's kubeconfig, for one command. */
record ClusterAccess(Supplier<KubernetesClient> clients) {
  /** What is asked of the API server. */
  interface Request {
    /** Asks. */
    int ask(KubernetesClient client, OperatorCalls calls) throws RefusedException, UsageException;
  }

  /** The current context of the kubeconfig. A person waits, so few attempts are made. */
  static ClusterAccess ofKubeconfig() {
    return new ClusterAccess(
        () -> {
          var config = Config.autoConfigure(null);
          config.setRequestRetryBackoffLimit(2);
          return new KubernetesClientBuilder()
              .withConfig(config)
              .withKubernetesSerialization(StoredJson.ofAllTypes())
              .withHttpClientBuilderConsumer(
                  http -> http.addOrReplaceInterceptor(AnswerLimit.NAME, new AnswerLimit()))
              .build();
        });
  }

  /**
   * Runs a request.
   *
   * @param needs what the person must be allowed to, as a role has it
   * @return its exit code
   * @throws RefusedException with the words of the API server where it refuses
   */
  int with(String needs, Request request) throws RefusedException, UsageException {
    try (var client = clients.get()) {
      try {
        return request.ask(client, new OperatorCalls(client));
      } catch (KubernetesClientException e) {
        throw new RefusedException(why(e, needs, client));
      }
    } catch (KubernetesClientException e) {
      throw new RefusedException("the kubeconfig cannot be used: " + e.getMessage());
    }
  }

  private static String why(KubernetesClientException e, String needs, KubernetesClient client) {
    return switch (e.getCode()) {
      case 0, -1 -> "the API server at %s does not answer".formatted(client.getMasterUrl());
      case HttpURLConnection.HTTP_UNAUTHORIZED ->
          "the API server at %s does not know you: check the credentials of the kubeconfig"
              .formatted(client.getMasterUrl());
      case HttpURLConnection.HTTP_FORBIDDEN ->
          "%s; it takes a role that may %s".formatted(words(e), needs);
      case HttpURLConnection.HTTP_NOT_FOUND ->
          "%s; are Rekindle's CRDs installed?".formatted(words(e));
      case HttpURLConnection.HTTP_CONFLICT ->
          "it has changed meanwhile, try again: %s".formatted(words(e));
      default -> words(e);
    };
  }

  /** What the API server itself says, without what the client adds. */
  private static String words(KubernetesClientException e) {
    var status = e.getStatus();
    return status == null || status.getMessage() == null || status.getMessage().isBlank()
        ? "the API server answers %d".formatted(e.getCode())
        : status.getMessage();
  }
}
