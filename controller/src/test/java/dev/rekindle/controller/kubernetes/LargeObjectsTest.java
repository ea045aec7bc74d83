package dev.rekindle.controller.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.rekindle.controller.port.ClusterGateway.UnavailableException;
import dev.rekindle.controller.runtime.Backoff;
import dev.rekindle.detect.SteadyClock;
import dev.rekindle.watch.BoundedLists;
import dev.rekindle.watch.WatchLiveness;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Where objects are as large as an API server takes them, and where a list of them hangs. */
class LargeObjectsTest {
  private static final int OBJECTS = 6;
  private static final int LARGE = 1_000_000;

  private final List<Integer> limits = new CopyOnWriteArrayList<>();
  private final Set<String> seen = new ConcurrentSkipListSet<>();
  private volatile boolean grown;
  private volatile boolean over;
  private volatile boolean hangs;
  private Duration passed = Duration.ZERO;
  private volatile int letters = LARGE;
  private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);
  private final HttpServer server = server();
  private final KubernetesClient client =
      new KubernetesClientBuilder()
          .withConfig(
              new ConfigBuilder(Config.empty())
                  .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                  .withOnlyHttpWatches(true)
                  .withWatchReconnectInterval(1)
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
      boolean watch = option(exchange.getRequestURI(), "watch").equals("true");
      if (watch && grown) {
        grown = false;
        letters = LARGE;
        exchange.sendResponseHeaders(410, -1);
      } else if (watch) {
        watch(exchange);
      } else {
        exchange.sendResponseHeaders(200, 0);
        byte[] body = list(exchange.getRequestURI());
        exchange.getResponseBody().write(body, 0, body.length / 2);
        exchange.getResponseBody().flush();
        if (hangs) {
          await("the end", () -> over);
        }
        exchange.getResponseBody().write(body, body.length / 2, body.length - body.length / 2);
      }
    }
  }

  /** Ends once objects have grown, and else when the test is over. */
  private void watch(HttpExchange exchange) throws IOException {
    exchange.sendResponseHeaders(200, 0);
    exchange
        .getResponseBody()
        .write(
            """
            {"type":"BOOKMARK","object":{"kind":"Node","apiVersion":"v1",\
            "metadata":{"resourceVersion":"1"}}}
            """
                .getBytes(StandardCharsets.UTF_8));
    exchange.getResponseBody().flush();
    await("grown or over", () -> grown || over);
  }

  private byte[] list(URI uri) {
    int limit = Integer.parseInt(option(uri, "limit"));
    limits.add(limit);
    String from = option(uri, "continue");
    int first = from.isEmpty() ? 0 : Integer.parseInt(from);
    int next = Math.min(OBJECTS, first + limit);
    String items =
        IntStream.range(first, next)
            .mapToObj(
                i ->
                    """
                    {"metadata":{"name":"n%d","resourceVersion":"1","annotations":{"a":"%s"}}}\
                    """
                        .formatted(i, "x".repeat(letters)))
            .collect(Collectors.joining(","));
    return """
    {"apiVersion":"v1","kind":"NodeList","metadata":{"resourceVersion":"1","continue":"%s"},\
    "items":[%s]}
    """
        .formatted(next < OBJECTS ? next : "", items)
        .getBytes(StandardCharsets.UTF_8);
  }

  private static String option(URI uri, String name) {
    return Arrays.stream(uri.getQuery().split("&"))
        .filter(o -> o.startsWith(name + "="))
        .map(o -> o.substring(name.length() + 1))
        .findFirst()
        .orElse("");
  }

  private final class Names implements Feed<Node> {
    @Override
    public void present(Node node) {
      seen.add(node.getMetadata().getName());
    }

    @Override
    public void gone(Node node) {}
  }

  private Watched<Node> watched() {
    return new Watched<>(
        "nodes",
        Node::new,
        client::nodes,
        () -> false,
        new Names(),
        timer,
        new Backoff(Duration.ofHours(1), Duration.ofHours(2), () -> 0),
        SteadyClock.of(() -> passed.toNanos()));
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
    timer.shutdownNow();
    client.close();
    server.stop(0);
  }

  @Test
  void shouldListLargeObjectsInSmallPages() {
    try (Watched<Node> watched = watched()) {
      watched.start();
      await("taken in", watched::synced);

      assertThat(seen).hasSize(OBJECTS);
      assertThat(limits).containsExactly(500, 100, 20, 4, 4);
    }
  }

  @Test
  void shouldTakeObjectsThatAreLargerThanAPageOneAtATime() {
    letters = 5_000_000;
    try (Watched<Node> watched = watched()) {
      watched.start();
      await("taken in", watched::synced);

      assertThat(seen).hasSize(OBJECTS);
      assertThat(limits).containsExactly(500, 100, 20, 4, 1, 1, 1, 1, 1, 1);
    }
  }

  @Test
  void shouldListInSmallPagesWhereNothingIsWatched() {
    ApiCalls api = new Circuits(() -> false).of("nodes");

    assertThat(names(api)).containsExactly("n0", "n1", "n2", "n3", "n4", "n5");
    assertThat(limits).containsExactly(500, 100, 20, 4, 4);
  }

  @Test
  void shouldListInSmallPagesWhereObjectsHaveBecomeLargeSince() {
    letters = 0;
    try (Watched<Node> watched = watched()) {
      watched.start();
      await("taken in", watched::synced);
      assertThat(limits).containsExactly(500);

      grown = true;
      await("taken in again", () -> limits.size() >= 6 && watched.synced());
      assertThat(limits).containsExactly(500, 500, 100, 20, 4, 4);
    }
  }

  /** A kubelet that stops in the middle of a log would hold the worker that reads it. */
  @Test
  void shouldNotWaitWithoutEndForTheRestOfAnAnswer() {
    letters = 0;
    hangs = true;
    ApiCalls api =
        new ApiCalls(
            "nodes",
            () -> Duration.ZERO,
            System::nanoTime,
            () -> false,
            _ -> 0L,
            new TimeLimit(Duration.ofMillis(100)));

    assertThatExceptionOfType(UnavailableException.class).isThrownBy(() -> names(api));
    assertThat(limits).as("tried again like what got no answer").hasSize(ApiCalls.TRIES);
    assertThat(Thread.interrupted()).isFalse();

    hangs = false;
    assertThat(names(new Circuits(() -> false).of("nodes"))).hasSize(OBJECTS);
  }

  private List<String> names(ApiCalls api) {
    return PagedList.of(api, client.nodes(), n -> Stream.of(n.getMetadata().getName()));
  }

  /** A time-out covers an answer until its body begins: a dead connection would hang for ever. */
  @Test
  void shouldListAgainWhereAListHangs() {
    letters = 0;
    hangs = true;
    try (Watched<Node> watched = watched()) {
      watched.start();
      await("requested", () -> !limits.isEmpty());
      var _ = watched.listen();
      hangs = false;
      passed = WatchLiveness.LISTED;
      var _ = watched.listen();
      assertThat(limits).as("not for too long").hasSize(1);
      passed = passed.plusSeconds(1);
      var _ = watched.listen();

      await("taken in", watched::synced);
      assertThat(seen).hasSize(OBJECTS);
    }
  }
}
