package dev.rekindle.testbed.proxy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Forwards every call to the API server, watches as they flow, but for those that a {@link Rule}
 * takes. The first rule that was made and still stands decides.
 */
public final class ApiProxy implements AutoCloseable {
  /** Of one connection, so not to be passed on; the client refuses to be given some of them. */
  private static final Set<String> OF_THE_CONNECTION =
      Set.of(
          "connection",
          "content-length",
          "expect",
          "host",
          "http2-settings",
          "keep-alive",
          "transfer-encoding",
          "upgrade");

  private static final int UNKNOWN_LENGTH = 0;
  private static final int NO_BODY = -1;

  private final URI server;
  private final HttpClient client;
  private final HttpServer front;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<Rule> rules = new CopyOnWriteArrayList<>();
  private final Set<Stream> streams = ConcurrentHashMap.newKeySet();
  private final CountDownLatch closed = new CountDownLatch(1);

  /** An answer that is being passed on. */
  private static final class Stream {
    private final Call call;
    private final InputStream from;
    private volatile boolean muted;
    private volatile boolean cut;

    private Stream(Call call, InputStream from) {
      this.call = call;
      this.from = from;
    }
  }

  /**
   * Begins to listen, on all addresses and a free port.
   *
   * @param server the API server
   * @param towards for calls to it
   * @param mine the certificate that callers see; absent for plain HTTP
   */
  public ApiProxy(URI server, SSLContext towards, @Nullable SSLContext mine) {
    this.server = server;
    client =
        HttpClient.newBuilder().sslContext(towards).version(HttpClient.Version.HTTP_1_1).build();
    try {
      front = listen(mine);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    front.setExecutor(threads);
    front.createContext("/", this::handle);
    front.start();
  }

  private static HttpServer listen(@Nullable SSLContext mine) throws IOException {
    InetSocketAddress anywhere = new InetSocketAddress(0);
    if (mine == null) {
      return HttpServer.create(anywhere, 0);
    }
    HttpsServer secure = HttpsServer.create(anywhere, 0);
    secure.setHttpsConfigurator(new HttpsConfigurator(mine));
    return secure;
  }

  /** Where it listens. */
  public int port() {
    return front.getAddress().getPort();
  }

  /** From now on some calls are treated so, until the rule is closed. */
  public Rule treat(Predicate<Call> which, Treatment treatment) {
    Rule rule = new Rule(which, treatment, rules::remove);
    rules.add(rule);
    return rule;
  }

  /** Ends answers that are under way, in the middle; gives how many. */
  public long cut(Predicate<Call> which) {
    return streams.stream().filter(s -> which.test(s.call)).peek(ApiProxy::cut).count();
  }

  private static void cut(Stream stream) {
    stream.cut = true;
    try {
      stream.from.close();
    } catch (IOException ended) {
      // That is what was wanted.
    }
  }

  /**
   * From now on nothing more comes of answers that are under way, though their connections stand: a
   * connection whose other end has vanished. Gives how many.
   */
  public long mute(Predicate<Call> which) {
    return streams.stream().filter(s -> which.test(s.call)).peek(s -> s.muted = true).count();
  }

  // --- one call -------------------------------------------------------------------------------

  /** Whatever it throws makes the server close the connection, in the middle of an answer too. */
  private void handle(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    Call call = Call.of(exchange.getRequestMethod(), exchange.getRequestURI(), body);
    Optional<Treatment> treatment =
        rules.stream().filter(rule -> rule.takes(call)).findFirst().map(Rule::treatment);
    try {
      if (treatment.isEmpty()) {
        forward(exchange, call, body);
        return;
      }
      switch (treatment.get()) {
        case Treatment.Refused refused -> refuse(exchange, refused);
        case Treatment.Late(Duration delay) -> {
          if (closed.await(delay.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IOException("the proxy was closed");
          }
          forward(exchange, call, body);
        }
        case Treatment.Unheard() -> {
          try (InputStream answer = send(exchange, body).body()) {
            answer.readAllBytes();
          }
          throw new IOException("cut before the answer");
        }
        case Treatment.Lost() -> throw new IOException("cut before the call");
        case Treatment.Silent() -> {
          closed.await();
          throw new IOException("the proxy was closed");
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private static void refuse(HttpExchange exchange, Treatment.Refused refused) throws IOException {
    String status =
        """
        {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", \
        "message": "%s", "reason": "%s", "code": %d}\
        """
            .formatted(refused.message().replace("\"", "\\\""), refused.reason(), refused.code());
    byte[] body = status.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    if (refused.retryAfter() > 0) {
      exchange.getResponseHeaders().set("Retry-After", Integer.toString(refused.retryAfter()));
    }
    exchange.sendResponseHeaders(refused.code(), body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private HttpResponse<InputStream> send(HttpExchange exchange, byte[] body)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.resolve(exchange.getRequestURI()))
            .method(
                exchange.getRequestMethod(),
                body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
    exchange
        .getRequestHeaders()
        .forEach(
            (name, values) -> {
              if (passedOn(name)) {
                values.forEach(value -> request.header(name, value));
              }
            });
    return client.send(request.build(), BodyHandlers.ofInputStream());
  }

  private static boolean passedOn(String header) {
    return !OF_THE_CONNECTION.contains(header.toLowerCase(Locale.ROOT)) && !header.startsWith(":");
  }

  private void forward(HttpExchange exchange, Call call, byte[] body)
      throws IOException, InterruptedException {
    HttpResponse<InputStream> answer = send(exchange, body);
    answer
        .headers()
        .map()
        .forEach(
            (name, values) -> {
              if (passedOn(name)) {
                exchange.getResponseHeaders().put(name, values);
              }
            });
    long length = answer.headers().firstValueAsLong("content-length").orElse(UNKNOWN_LENGTH);
    boolean empty =
        exchange.getRequestMethod().equals("HEAD")
            || answer.statusCode() == 204
            || answer.headers().firstValueAsLong("content-length").orElse(1) == 0;
    exchange.sendResponseHeaders(answer.statusCode(), empty ? NO_BODY : length);
    if (!empty) {
      // A client that begins to watch waits for the head of the answer, long before anything
      // happens.
      exchange.getResponseBody().flush();
    }
    Stream stream = new Stream(call, answer.body());
    streams.add(stream);
    try (InputStream from = answer.body()) {
      passOn(stream, from, exchange.getResponseBody());
    } finally {
      streams.remove(stream);
    }
    if (stream.cut) {
      throw new IOException("cut in the middle");
    }
    exchange.close();
  }

  /** What comes is passed on at once: a watch may bring little for a long time. */
  private static void passOn(Stream stream, InputStream from, OutputStream to) throws IOException {
    byte[] buffer = new byte[1 << 16];
    for (int read = from.read(buffer); read >= 0; read = from.read(buffer)) {
      if (!stream.muted) {
        to.write(buffer, 0, read);
        to.flush();
      }
    }
  }

  @Override
  public void close() {
    closed.countDown();
    streams.forEach(ApiProxy::cut);
    // A caller that is gone without a word reads nothing: who writes to it holds the connection
    // that the server is about to close.
    threads.shutdownNow();
    front.stop(0);
    client.shutdownNow();
  }
}
