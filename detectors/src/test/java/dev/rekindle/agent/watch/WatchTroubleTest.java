package dev.rekindle.agent.watch;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.rekindle.detect.SteadyClock;
import dev.rekindle.detect.WatchedNamespaces;
import dev.rekindle.watch.BoundedLists;
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
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Where pods are as large as an API server takes them, and where connections are dead. */
class WatchTroubleTest {
  private static final int LARGE = 1_000_000;

  private final List<String> limits = new CopyOnWriteArrayList<>();
  private volatile int pods = 5;
  private volatile int letters;
  private volatile boolean hangs;
  private volatile boolean hung;
  private volatile boolean over;
  private Duration passed = Duration.ZERO;
  private final HttpServer server = server();
  private final KubernetesClient client =
      new KubernetesClientBuilder()
          .withConfig(
              new ConfigBuilder(Config.empty())
                  .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                  .withOnlyHttpWatches(true)
                  .build())
          .withHttpClientBuilderConsumer(
              http -> http.addOrReplaceInterceptor(BoundedLists.NAME, new BoundedLists()))
          .build();

  private HttpServer server() {
    try {
      HttpServer made =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      made.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
      made.createContext("/", this::answer);
      made.start();
      return made;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      exchange.getResponseHeaders().add("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, 0);
      if (option(exchange.getRequestURI(), "watch").equals("true")) {
        await("the end", () -> over);
      } else {
        byte[] body = list(exchange.getRequestURI());
        exchange.getResponseBody().write(body, 0, body.length / 2);
        exchange.getResponseBody().flush();
        if (hangs) {
          hung = true;
          await("the end", () -> over);
        }
        exchange.getResponseBody().write(body, body.length / 2, body.length - body.length / 2);
      }
    }
  }

  private byte[] list(URI uri) {
    String limit = option(uri, "limit");
    limits.add(limit);
    String from = option(uri, "continue");
    int first = from.isEmpty() ? 0 : Integer.parseInt(from);
    int next = limit.isEmpty() ? pods : Math.min(pods, first + Integer.parseInt(limit));
    String items =
        IntStream.range(first, next)
            .mapToObj(
                i ->
                    """
                    {"metadata":{"namespace":"team","name":"p%d","uid":"u%d",\
                    "resourceVersion":"1","annotations":{"a":"%s"}}}\
                    """
                        .formatted(i, i, "x".repeat(letters)))
            .collect(Collectors.joining(","));
    return """
    {"apiVersion":"v1","kind":"PodList","metadata":{"resourceVersion":"1","continue":"%s"},\
    "items":[%s]}
    """
        .formatted(next < pods ? next : "", items)
        .getBytes(StandardCharsets.UTF_8);
  }

  private static String option(URI uri, String name) {
    return Arrays.stream(uri.getQuery().split("&"))
        .filter(o -> o.startsWith(name + "="))
        .map(o -> o.substring(name.length() + 1))
        .findFirst()
        .orElse("");
  }

  private static void await(String what, BooleanSupplier condition) {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(until);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  @AfterEach
  void tearDown() {
    over = true;
    client.close();
    server.stop(0);
  }

  private NamespacedInformers<Pod> informers() {
    return new NamespacedInformers<>(
        client,
        "pods",
        WatchedNamespaces.parse(""),
        _ -> client.pods().inAnyNamespace(),
        () -> new BasicItemStore<>(Cache::metaNamespaceKeyFunc),
        new Ignored(),
        SteadyClock.of(() -> passed.toNanos()));
  }

  private void pass(NamespacedInformers<Pod> informers, Duration time) {
    passed = passed.plus(time);
    informers.listen();
  }

  @Test
  void shouldListLargePodsAFewAtATime() {
    letters = LARGE;
    try (var informers = informers()) {
      await("taken in", informers::isSynced);

      assertThat(informers.all()).hasSize(5);
      assertThat(limits).containsExactly("", "100", "20", "4", "4");
    }
  }

  /** Nothing ends such a connection: the client sends no pings, and its system none either. */
  @Test
  void shouldListAgainWhereAWatchIsDead() {
    try (var informers = informers()) {
      await("taken in", informers::isSynced);
      pass(informers, Duration.ZERO);
      pods = 3;
      pass(informers, NamespacedInformers.SILENT);
      assertThat(limits).as("not for too long").hasSize(1);

      pass(informers, Duration.ofSeconds(1));

      await("seen who is gone", () -> informers.all().count() == 3);
      assertThat(informers.isSynced()).isTrue();
      assertThat(limits).hasSize(2);
    }
  }

  @Test
  void shouldListAgainWhereAListHangs() {
    hangs = true;
    try (var informers = informers()) {
      await("half of it sent", () -> hung);
      pass(informers, Duration.ZERO);
      hangs = false;
      pass(informers, NamespacedInformers.SILENT.plusSeconds(1));

      await("taken in", informers::isSynced);
      assertThat(informers.all()).hasSize(5);
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
