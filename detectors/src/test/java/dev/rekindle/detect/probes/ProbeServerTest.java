package dev.rekindle.detect.probes;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
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
}
