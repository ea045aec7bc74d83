package dev.rekindle.controller.operator;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;

/** {@code /livez}, {@code /readyz} and {@code /metrics}. */
final class HttpEndpoints implements AutoCloseable {
  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  /**
   * Listens from here on.
   *
   * @param port 0 for any
   * @throws IOException when the port cannot be had
   */
  HttpEndpoints(int port, BooleanSupplier live, BooleanSupplier ready, PrometheusRegistry registry)
      throws IOException {
    PrometheusTextFormatWriter writer = PrometheusTextFormatWriter.create();
    server = HttpServer.create(new InetSocketAddress(port), 0);
    server.setExecutor(threads);
    server.createContext("/livez", exchange -> probe(exchange, live.getAsBoolean()));
    server.createContext("/readyz", exchange -> probe(exchange, ready.getAsBoolean()));
    server.createContext(
        "/metrics",
        exchange -> {
          ByteArrayOutputStream page = new ByteArrayOutputStream();
          writer.write(page, registry.scrape());
          answer(exchange, HttpURLConnection.HTTP_OK, writer.getContentType(), page.toByteArray());
        });
    server.start();
  }

  /** The port listened on. */
  int port() {
    return server.getAddress().getPort();
  }

  private static void probe(HttpExchange exchange, boolean good) throws IOException {
    int code = good ? HttpURLConnection.HTTP_OK : HttpURLConnection.HTTP_UNAVAILABLE;
    byte[] body = (good ? "ok\n" : "not yet\n").getBytes(StandardCharsets.UTF_8);
    answer(exchange, code, "text/plain; charset=utf-8", body);
  }

  private static void answer(HttpExchange exchange, int code, String type, byte[] body)
      throws IOException {
    try (exchange) {
      exchange.getResponseHeaders().set("Content-Type", type);
      exchange.sendResponseHeaders(code, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
