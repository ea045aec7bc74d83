package dev.rekindle.testbed.scale;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/**
 * The API server, with a bound on how many calls are under way: a process, not a thousand nodes.
 */
final class Api implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 60_000;

  private final KubernetesClient client;
  private final Semaphore free;

  Api(Path kubeconfig, int inFlight) {
    free = new Semaphore(inFlight, true);
    Config config =
        new ConfigBuilder(Config.fromKubeconfig(kubeconfig.toFile()))
            // One connection would carry a hundred calls at a time, and refuse the next.
            .withHttp2Disable(true)
            // A web socket hands over one event at a time: too slow for a thousand nodes' events.
            .withOnlyHttpWatches(true)
            .withRequestTimeout(TIMEOUT_MILLIS)
            .withUserAgent("rekindle-stand-in")
            .build();
    client = new KubernetesClientBuilder().withConfig(config).build();
  }

  KubernetesClient client() {
    return client;
  }

  /** Makes a call as soon as there are few enough under way. */
  <T> T call(Supplier<T> call) {
    free.acquireUninterruptibly();
    try {
      return call.get();
    } finally {
      free.release();
    }
  }

  /** Sleeps on a thread that is never interrupted. */
  static void sleep(Duration duration) {
    try {
      Thread.sleep(duration);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
