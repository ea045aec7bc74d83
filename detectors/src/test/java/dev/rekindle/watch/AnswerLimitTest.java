package dev.rekindle.watch;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Answers that begin, and never end. */
@Timeout(60)
class AnswerLimitTest {
  private static final String EVENT =
      """
      {"type":"ADDED","object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"}}}
      """;

  private final ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1);
  private ServerSocket server;

  @BeforeEach
  void listen() throws IOException {
    server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
  }

  @AfterEach
  void close() throws IOException {
    server.close();
    var _ = clock.shutdownNow();
  }

  /** Answers each request with the beginning of a body, and leaves its connection open. */
  private void answer(String beginning) {
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                while (true) {
                  begin(server.accept(), beginning);
                }
              } catch (IOException closed) {
                // the test is over
              }
            });
  }

  private static void begin(Socket connection, String beginning) throws IOException {
    var in = new BufferedReader(new InputStreamReader(connection.getInputStream(), US_ASCII));
    for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
      // the head of a request
    }
    String head =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n";
    connection.getOutputStream().write((head + beginning).getBytes(US_ASCII));
    connection.getOutputStream().flush();
  }

  private KubernetesClient client(Duration limit) {
    return new KubernetesClientBuilder()
        .withConfig(
            new ConfigBuilder()
                .withMasterUrl("http://127.0.0.1:" + server.getLocalPort())
                .withRequestTimeout(5_000)
                .withRequestRetryBackoffLimit(0)
                .withOnlyHttpWatches(true)
                .build())
        .withHttpClientBuilderConsumer(
            http -> http.addOrReplaceInterceptor(AnswerLimit.NAME, new AnswerLimit(limit, clock)))
        .build();
  }

  @Test
  void shouldEndAnAnswerThatStopsInTheMiddle() {
    answer("{\"apiVersion\":\"v1\",");
    try (KubernetesClient client = client(Duration.ofMillis(300))) {
      assertThatThrownBy(() -> client.pods().inNamespace("team").withName("p").get())
          .isInstanceOf(KubernetesClientException.class);
    }
  }

  @Test
  void shouldLeaveAWatchAlone() throws InterruptedException {
    answer(EVENT);
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    try (KubernetesClient client = client(Duration.ofHours(1))) {
      try (var _ = client.pods().inNamespace("team").watch(recorder(seen))) {
        assertThat(seen.poll(30, TimeUnit.SECONDS)).isEqualTo("p");
        assertThat(clock.getQueue()).as("answers with a limit").isEmpty();
      }
    }
  }

  private static Watcher<Pod> recorder(BlockingQueue<String> seen) {
    return new Watcher<>() {
      @Override
      public void eventReceived(Action action, Pod pod) {
        seen.add(pod.getMetadata().getName());
      }

      @Override
      public void onClose(WatcherException cause) {
        seen.add("closed: " + cause.getMessage());
      }
    };
  }
}
