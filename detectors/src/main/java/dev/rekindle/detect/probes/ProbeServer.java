package dev.rekindle.detect.probes;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/**
 * Serves {@code /livez}, {@code /readyz} and {@code /metrics}. Any client of the port may open
 * connections and send nothing: there are so many and no more, and one whose request is not
 * complete in a few seconds is closed.
 */
public final class ProbeServer implements Closeable {
  private static final int CONNECTIONS = 64;
  private static final int SECONDS = 3;
  private static final int HEADER_BYTES = 16_384;

  static {
    // The JDK's server reads its limits from here, once, when the first one is made.
    limit("jdk.httpserver.maxConnections", CONNECTIONS);
    limit("sun.net.httpserver.maxReqTime", SECONDS);
    limit("sun.net.httpserver.maxRspTime", 10 * SECONDS);
    limit("sun.net.httpserver.idleInterval", SECONDS);
    limit("sun.net.httpserver.maxReqHeaderSize", HEADER_BYTES);
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  /**
   * Starts to serve.
   *
   * @param port 0 takes any that is free
   * @param alive why the process is not alive; empty when it is
   * @param ready why it is not ready; empty when it is
   * @throws IOException when the port cannot be had
   */
  public ProbeServer(
      int port, Supplier<String> alive, Supplier<String> ready, PrometheusRegistry registry)
      throws IOException {
    server = HttpServer.create(new InetSocketAddress(port), 16);
    server.setExecutor(threads);
    server.createContext("/livez", exchange -> health(exchange, alive.get()));
    server.createContext("/readyz", exchange -> health(exchange, ready.get()));
    server.createContext("/metrics", exchange -> metrics(exchange, registry));
    server.start();
  }

  private static void limit(String property, int value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, Integer.toString(value));
    }
  }

  /** The port listened on. */
  public int port() {
    return server.getAddress().getPort();
  }

  private static void health(HttpExchange exchange, String problem) throws IOException {
    var text = problem.isEmpty() ? "ok\n" : problem + "\n";
    answer(
        exchange,
        problem.isEmpty() ? 200 : 503,
        "text/plain; charset=utf-8",
        text.getBytes(StandardCharsets.UTF_8));
  }

  private static void metrics(HttpExchange exchange, PrometheusRegistry registry)
      throws IOException {
    var out = new ByteArrayOutputStream();
    var writer = PrometheusTextFormatWriter.create();
    writer.write(out, registry.scrape());
    answer(exchange, 200, writer.getContentType(), out.toByteArray());
  }

  private static void answer(HttpExchange exchange, int status, String type, byte[] body)
      throws IOException {
    try (exchange) {
      exchange.getResponseHeaders().set("Content-Type", type);
      exchange.sendResponseHeaders(status, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
