package dev.rekindle.testbed.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
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
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ApiProxyTest {
  private static final String JOBS = "/apis/batch/v1/namespaces/e2e/jobs";
  private static final String PODS = "/api/v1/pods?watch=true";
  private static final String END = "end";

  private final List<String> received = new CopyOnWriteArrayList<>();
  private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
  private final HttpClient caller = HttpClient.newHttpClient();
  private HttpServer server;
  private ApiProxy proxy;

  @BeforeEach
  void start() throws Exception {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::answer);
    server.start();
    URI there = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    proxy = new ApiProxy(there, SSLContext.getDefault(), null);
  }

  @AfterEach
  void stop() {
    proxy.close();
    events.add(END);
    server.stop(0);
    caller.shutdownNow();
  }

  /** Answers with what it was sent; a watch brings what is in {@link #events}. */
  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      received.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " " + body);
      if (exchange.getRequestURI().toString().contains("watch=true")) {
        exchange.sendResponseHeaders(200, 0);
        exchange.getResponseBody().flush();
        for (String event = events.take(); !event.equals(END); event = events.take()) {
          exchange.getResponseBody().write((event + "\n").getBytes(StandardCharsets.UTF_8));
          exchange.getResponseBody().flush();
        }
        return;
      }
      byte[] answer =
          (exchange.getRequestHeaders().getFirst("Authorization") + " " + body)
              .getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Warning", "299 - careful");
      exchange.sendResponseHeaders(201, answer.length);
      exchange.getResponseBody().write(answer);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private URI at(String path) {
    return URI.create("http://127.0.0.1:" + proxy.port() + path);
  }

  private HttpResponse<String> post(String path, String body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(at(path))
            .header("Authorization", "Bearer me")
            .timeout(Duration.ofSeconds(30))
            .POST(BodyPublishers.ofString(body))
            .build();
    return caller.send(request, BodyHandlers.ofString());
  }

  private BufferedReader watch() throws Exception {
    InputStream body =
        caller.send(HttpRequest.newBuilder(at(PODS)).build(), BodyHandlers.ofInputStream()).body();
    return new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
  }

  @Test
  void shouldPassOnACallAndItsAnswerAsTheyAre() throws Exception {
    HttpResponse<String> answer = post(JOBS + "?dryRun=All", "{\"a\": 1}");
    assertThat(answer.statusCode()).isEqualTo(201);
    assertThat(answer.body()).isEqualTo("Bearer me {\"a\": 1}");
    assertThat(answer.headers().firstValue("Warning")).hasValue("299 - careful");
    assertThat(received).containsExactly("POST " + JOBS + "?dryRun=All {\"a\": 1}");
  }

  @Test
  void shouldPassOnWhatAWatchBringsAtOnce() throws Exception {
    BufferedReader watch = watch();
    events.add("one");
    assertThat(watch.readLine()).isEqualTo("one");
    events.add("two");
    assertThat(watch.readLine()).isEqualTo("two");
  }

  @Test
  void shouldAnswerWhatARuleTakesAndNothingElse() throws Exception {
    Treatment quota = new Treatment.Refused(429, "TooManyRequests", "a \"quota\"", 7);
    try (Rule rule = proxy.treat(c -> c.writes() && c.names("inspect"), quota)) {
      HttpResponse<String> refused = post(JOBS, "{\"name\": \"x-inspect\"}");
      assertThat(refused.statusCode()).isEqualTo(429);
      assertThat(refused.body()).contains("\"kind\": \"Status\"", "a \\\"quota\\\"", "429");
      assertThat(refused.headers().firstValue("Retry-After")).hasValue("7");
      assertThat(post(JOBS, "other").statusCode()).isEqualTo(201);
      assertThat(rule.hits()).isEqualTo(1);
    }
    assertThat(post(JOBS, "{\"name\": \"x-inspect\"}").statusCode()).isEqualTo(201);
    assertThat(received).hasSize(2);
  }

  @Test
  void shouldCutBeforeTheCallOrAfterIt() throws Exception {
    try (Rule _ = proxy.treat(Call::writes, new Treatment.Lost())) {
      assertThatThrownBy(() -> post(JOBS, "lost")).isInstanceOf(IOException.class);
    }
    assertThat(received).noneMatch(call -> call.contains("lost"));
    try (Rule _ = proxy.treat(Call::writes, new Treatment.Unheard())) {
      assertThatThrownBy(() -> post(JOBS, "unheard")).isInstanceOf(IOException.class);
    }
    assertThat(received).anyMatch(call -> call.contains("unheard"));
  }

  @Test
  void shouldForwardLate() throws Exception {
    long began = System.nanoTime();
    try (Rule _ = proxy.treat(Call::writes, new Treatment.Late(Duration.ofMillis(300)))) {
      assertThat(post(JOBS, "late").statusCode()).isEqualTo(201);
    }
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofMillis(299));
  }

  @Test
  void shouldCutAWatchInTheMiddle() throws Exception {
    BufferedReader watch = watch();
    events.add("one");
    assertThat(watch.readLine()).isEqualTo("one");
    assertThat(proxy.cut(c -> c.watches() && c.resource().equals("pods"))).isEqualTo(1);
    assertThatThrownBy(watch::readLine).isInstanceOf(IOException.class);
  }

  @Test
  void shouldLeaveAMutedWatchOpenAndBringNothing() throws Exception {
    BufferedReader watch = watch();
    events.add("one");
    assertThat(watch.readLine()).isEqualTo("one");
    assertThat(proxy.mute(Call::watches)).isEqualTo(1);
    events.add("never heard of");
    // The server has written it when it waits again; what comes next is the cut.
    while (!events.isEmpty()) {
      Thread.onSpinWait();
    }
    assertThat(proxy.cut(Call::watches)).isEqualTo(1);
    assertThatThrownBy(watch::readLine).isInstanceOf(IOException.class);
  }

  @Test
  void shouldKnowWhatACallIsAbout() {
    assertThat(call("/api/v1/pods").resource()).isEqualTo("pods");
    assertThat(call("/api/v1/namespaces/a/pods/b/log").resource()).isEqualTo("pods");
    assertThat(call("/api/v1/namespaces/a").resource()).isEqualTo("namespaces");
    assertThat(call("/apis/kubeflow.org/v1/namespaces/a/pytorchjobs/b/status").resource())
        .isEqualTo("pytorchjobs");
    assertThat(call("/apis/batch/v1/jobs").resource()).isEqualTo("jobs");
    assertThat(call("/readyz").resource()).isEmpty();
    assertThat(new Call("GET", "/", "a=b&watch=true", "").watches()).isTrue();
    assertThat(new Call("GET", "/", "watch=false", "").watches()).isFalse();
    assertThat(new Call("PATCH", "/", "", "").writes()).isTrue();
    assertThat(new Call("GET", "/", "", "").writes()).isFalse();
  }

  private static Call call(String path) {
    return new Call("GET", path, "", "");
  }
}
