package dev.rekindle.agent.watch;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.rekindle.detect.SteadyClock;
import dev.rekindle.detect.WatchedNamespaces;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.cache.BasicItemStore;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Where an API server refuses all lists of one namespace. */
class NamespacedInformersTest {
  private final Semaphore refused = new Semaphore(0);
  private volatile boolean there = true;
  private final HttpServer server = server();
  private final KubernetesClient client =
      new KubernetesClientBuilder()
          .withConfig(
              new ConfigBuilder(Config.empty())
                  .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                  .withRequestRetryBackoffLimit(0)
                  .build())
          .build();

  private HttpServer server() {
    try {
      HttpServer made =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      made.createContext(
          "/",
          exchange -> {
            boolean namespaceRead =
                exchange.getRequestURI().getPath().equals("/api/v1/namespaces/team");
            byte[] body =
                "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"team\"}}"
                    .getBytes(StandardCharsets.UTF_8);
            if (namespaceRead && there) {
              exchange.getResponseHeaders().add("Content-Type", "application/json");
              exchange.sendResponseHeaders(200, body.length);
              exchange.getResponseBody().write(body);
            } else {
              exchange.sendResponseHeaders(namespaceRead ? 404 : 403, -1);
            }
            if (namespaceRead) {
              refused.release();
            }
            exchange.close();
          });
      made.start();
      return made;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @AfterEach
  void tearDown() {
    client.close();
    server.stop(0);
  }

  private static void await(String what, BooleanSupplier condition) {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(until);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  @Test
  void shouldWaitForANamespaceThatMayNotBeListedUnlessItIsGone() throws InterruptedException {
    try (var informers =
        new NamespacedInformers<Pod>(
            client,
            "pods",
            WatchedNamespaces.parse("team"),
            namespace -> client.pods().inNamespace(namespace),
            () -> new BasicItemStore<>(Cache::metaNamespaceKeyFunc),
            new Ignored(),
            SteadyClock.system())) {
      assertThat(refused.tryAcquire(60, TimeUnit.SECONDS)).as("read the namespace").isTrue();
      assertThat(informers.isSynced()).isFalse();
      there = false;
      await("counts as listed", informers::isSynced);
      assertThat(informers.all()).isEmpty();
    }
  }

  private static final class Ignored implements ResourceEventHandler<Pod> {
    @Override
    public void onAdd(Pod pod) {}

    @Override
    public void onUpdate(Pod before, Pod pod) {}

    @Override
    public void onDelete(Pod pod, boolean unknownFinalState) {}
  }
}
