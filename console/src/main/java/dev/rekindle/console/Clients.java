package dev.rekindle.console;

import dev.rekindle.detect.SteadyClock;
import dev.rekindle.detect.WatchedNamespaces;
import dev.rekindle.page.Links;
import dev.rekindle.page.PageRenderer;
import dev.rekindle.watch.AnswerLimit;
import dev.rekindle.watch.AsciiWatch;
import dev.rekindle.watch.BoundedLists;
import dev.rekindle.watch.StoredJson;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Factory;
import jakarta.inject.Singleton;

/** What the console is made of besides its own classes. */
@Factory
final class Clients {
  private static final int TIMEOUT_MILLIS = 5_000;

  /** By the account of the pod, or the kubeconfig of the user that starts it. */
  @Singleton
  @Bean(preDestroy = "close")
  KubernetesClient kubernetes() {
    return new KubernetesClientBuilder()
        .withConfig(
            new ConfigBuilder()
                .withRequestTimeout(TIMEOUT_MILLIS)
                .withConnectionTimeout(TIMEOUT_MILLIS)
                .withOnlyHttpWatches(true)
                .withUserAgent("rekindle-console")
                .build())
        .withKubernetesSerialization(StoredJson.ofAllTypes())
        .withHttpClientBuilderConsumer(
            http ->
                http.addOrReplaceInterceptor(AsciiWatch.NAME, new AsciiWatch())
                    .addOrReplaceInterceptor(BoundedLists.NAME, new BoundedLists())
                    .addOrReplaceInterceptor(AnswerLimit.NAME, new AnswerLimit()))
        .build();
  }

  /** The namespaces whose recoveries may be read. */
  @Singleton
  WatchedNamespaces namespaces() {
    return WatchedNamespaces.of(System.getenv());
  }

  /** By which watches are found to be dead. */
  @Singleton
  SteadyClock clock() {
    return SteadyClock.system();
  }

  @Singleton
  PageRenderer pages() {
    return new PageRenderer(Links.SERVED);
  }
}
