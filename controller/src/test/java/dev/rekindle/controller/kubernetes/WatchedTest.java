package dev.rekindle.controller.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.rekindle.controller.runtime.Backoff;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WatchedTest {
  private static final Duration LONGEST = Duration.ofSeconds(30);

  /** Always the least of what its jitter allows: half. */
  private static final Backoff RETRY = new Backoff(Duration.ofSeconds(1), LONGEST, () -> 0);

  private final Timer timer = new Timer();
  private final AtomicInteger status = new AtomicInteger();
  private final AtomicBoolean gone = new AtomicBoolean();
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
            exchange.sendResponseHeaders(status.get(), -1);
            exchange.close();
          });
      made.start();
      return made;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Keeps the pauses that it is asked for, and waits for none. */
  private static final class Timer extends ScheduledThreadPoolExecutor {
    private final LinkedBlockingQueue<Duration> pauses = new LinkedBlockingQueue<>();

    private Timer() {
      super(1);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
      pauses.add(Duration.of(delay, unit.toChronoUnit()));
      return super.schedule(task, 0, unit);
    }

    private List<Duration> pauses(int count) throws InterruptedException {
      List<Duration> taken = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        taken.add(pauses.poll(30, TimeUnit.SECONDS));
      }
      return taken;
    }
  }

  private static final class Ignored implements Feed<Node> {
    @Override
    public void present(Node node) {}

    @Override
    public void gone(Node node) {}
  }

  @AfterEach
  void tearDown() {
    timer.shutdownNow();
    client.close();
    server.stop(0);
  }

  private Watched<Node> watched() {
    return new Watched<>("nodes", Node::new, client::nodes, gone::get, new Ignored(), timer, RETRY);
  }

  @Test
  void shouldListAgainSoonAndThenEverLessOftenWhenTheApiServerFails() throws Exception {
    status.set(500);
    try (Watched<Node> watched = watched()) {
      watched.start();
      assertThat(timer.pauses(7))
          .containsExactly(
              Duration.ofMillis(500),
              Duration.ofSeconds(1),
              Duration.ofSeconds(2),
              Duration.ofSeconds(4),
              Duration.ofSeconds(8),
              Duration.ofSeconds(15),
              Duration.ofSeconds(15));
    }
  }

  @Test
  void shouldDiscoverAKindThatIsNotInstalledAfterTheLongestPause() throws Exception {
    status.set(404);
    try (Watched<Node> watched = watched()) {
      watched.start();
      assertThat(timer.pauses(2)).containsExactly(LONGEST, LONGEST);
    }
  }

  private static void await(String what, BooleanSupplier condition) {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(until);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  /** The right to list goes with a namespace: the other ones are not to wait for it. */
  @Test
  void shouldWaitForWhatItMayNotListUnlessItsNamespaceIsGone() throws Exception {
    status.set(403);
    try (Watched<Node> watched = watched()) {
      watched.start();
      assertThat(timer.pauses(5)).doesNotContain(LONGEST);
      assertThat(watched.synced()).isFalse();
      gone.set(true);
      await("taken in", watched::synced);
      gone.set(false);
      await("waited for again", () -> !watched.synced());
    }
  }
}
