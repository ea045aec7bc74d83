package dev.rekindle.simulator.drill;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.rekindle.page.Links;
import dev.rekindle.page.PageRenderer;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Serves the pages of a drill to this machine alone. Bounded: a few threads, a short queue, no
 * request has a body that is read, and what takes too long to ask is cut off.
 */
final class PageServer implements AutoCloseable {
  private static final int THREADS = 4;
  private static final int QUEUE = 64;

  static {
    // Read by the JDK's server when it is first used: seconds for a request to arrive.
    System.setProperty("sun.net.httpserver.maxReqTime", "10");
    System.setProperty("sun.net.httpserver.maxRspTime", "30");
  }

  private final FinalObjects objects;
  private final PageRenderer pages = new PageRenderer(Links.SERVED);
  private final HttpServer server;
  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          THREADS, THREADS, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(QUEUE));

  private PageServer(FinalObjects objects, HttpServer server) {
    this.objects = objects;
    this.server = server;
  }

  /**
   * Begins to serve.
   *
   * @param port 0 for any that is free
   * @throws IOException when the port is taken
   */
  static PageServer start(FinalObjects objects, int port) throws IOException {
    HttpServer http =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    PageServer server = new PageServer(objects, http);
    http.createContext("/", server::answer);
    http.setExecutor(server.threads);
    http.start();
    return server;
  }

  String url() {
    return "http://localhost:" + server.getAddress().getPort() + "/";
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (!isAskedForHere(exchange)) {
        // A page elsewhere may have given its own name this machine's address.
        exchange.sendResponseHeaders(HttpURLConnection.HTTP_FORBIDDEN, -1);
        return;
      }
      if (!Set.of("GET", "HEAD").contains(exchange.getRequestMethod())) {
        exchange.sendResponseHeaders(HttpURLConnection.HTTP_BAD_METHOD, -1);
        return;
      }
      Optional<FinalObjects.Answer> found = objects.at(exchange.getRequestURI().getPath(), pages);
      FinalObjects.Answer answer =
          found.orElseGet(
              () -> FinalObjects.Answer.html(pages.message("Not found", "There is no such page.")));
      byte[] body = answer.text().getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", answer.type());
      exchange.getResponseHeaders().set("Content-Security-Policy", pages.policy());
      exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
      exchange.getResponseHeaders().set("Cache-Control", "no-store");
      boolean head = exchange.getRequestMethod().equals("HEAD");
      exchange.sendResponseHeaders(
          found.isPresent() ? HttpURLConnection.HTTP_OK : HttpURLConnection.HTTP_NOT_FOUND,
          head ? -1 : body.length);
      if (!head) {
        exchange.getResponseBody().write(body);
      }
    }
  }

  private boolean isAskedForHere(HttpExchange exchange) {
    int port = server.getAddress().getPort();
    String host = exchange.getRequestHeaders().getFirst("Host");
    return Set.of("localhost:" + port, "127.0.0.1:" + port, "[::1]:" + port)
        .contains(host == null ? "" : host);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
