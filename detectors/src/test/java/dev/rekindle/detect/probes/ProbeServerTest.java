package dev.rekindle.detect.probes;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class ProbeServerTest {
  @Test
  void shouldAnswerProbesAndMetrics() throws IOException, InterruptedException {
    PrometheusRegistry registry = new PrometheusRegistry();
    Counter.builder().name("seen_total").help("x").register(registry).inc(3);
    AtomicReference<String> problem = new AtomicReference<>("still starting");
    try (ProbeServer endpoints = new ProbeServer(0, () -> "", problem::get, registry);
        HttpClient client = HttpClient.newHttpClient()) {
      assertThat(get(client, endpoints, "/livez").statusCode()).isEqualTo(200);
      assertThat(get(client, endpoints, "/readyz").statusCode()).isEqualTo(503);
      assertThat(get(client, endpoints, "/readyz").body()).contains("still starting");
      problem.set("");
      assertThat(get(client, endpoints, "/readyz").statusCode()).isEqualTo(200);
      assertThat(get(client, endpoints, "/metrics").body()).contains("seen_total 3.0");
    }
  }

  private static HttpResponse<String> get(HttpClient client, ProbeServer endpoints, String path)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://localhost:" + endpoints.port() + path);
    return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
  }

  /** A request that never ends costs a buffer and a thread for as long as it is waited for. */
  @Test
  void shouldHoldFewConnectionsThatSendHalfARequestAndServeAgainSoon() throws Exception {
    List<Socket> held = new ArrayList<>();
    try (var server = new ProbeServer(0, () -> "", () -> "", new PrometheusRegistry())) {
      for (int i = 0; i < 200; i++) {
        var socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
        held.add(socket);
        socket.setSoTimeout(30_000);
        try {
          socket.getOutputStream().write("GET /livez HTTP/1.1\r\nX: ".getBytes(US_ASCII));
        } catch (IOException closed) {
          // One of too many.
        }
      }
      // Every one of them is closed by the server: those beyond the limit at once, the rest soon.
      for (Socket socket : held) {
        assertThat(ended(socket)).isTrue();
      }
      try (var probe = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
        probe
            .getOutputStream()
            .write(
                "GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".getBytes(US_ASCII));
        assertThat(new String(probe.getInputStream().readAllBytes(), US_ASCII)).contains("200");
      }
    } finally {
      for (Socket socket : held) {
        socket.close();
      }
    }
  }

  /**
   * One beyond the limit is closed at once, while those before it wait for the end of their
   * requests. A machine that stands still for three seconds meanwhile has them all closed, so it is
   * tried a few times.
   */
  @Test
  void shouldCloseAConnectionBeyondTheLimitAtOnce() throws Exception {
    try (var server = new ProbeServer(0, () -> "", () -> "", new PrometheusRegistry())) {
      var refused = false;
      for (int i = 0; i < 5 && !refused; i++) {
        refused = refusesOneMoreThan(64, server);
      }
      assertThat(refused).isTrue();
    }
  }

  private static boolean refusesOneMoreThan(int most, ProbeServer server) throws IOException {
    List<Socket> held = new ArrayList<>();
    try {
      for (int i = 0; i < most; i++) {
        held.add(half(server));
      }
      try (var oneMore = half(server)) {
        oneMore.setSoTimeout(30_000);
        return ended(oneMore) && held.stream().noneMatch(ProbeServerTest::ended);
      }
    } finally {
      for (var socket : held) {
        socket.close();
      }
    }
  }

  private static Socket half(ProbeServer server) throws IOException {
    var socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    socket.setSoTimeout(1);
    try {
      socket.getOutputStream().write("GET /livez HTTP/1.1\r\nX: ".getBytes(US_ASCII));
    } catch (IOException closed) {
      // One of too many.
    }
    return socket;
  }

  private static boolean ended(Socket socket) {
    try {
      socket.getInputStream().readAllBytes();
      return true;
    } catch (SocketTimeoutException open) {
      return false;
    } catch (IOException reset) {
      return true;
    }
  }
}
