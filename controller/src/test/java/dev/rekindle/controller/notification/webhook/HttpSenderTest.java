package dev.rekindle.controller.notification.webhook;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.notification.Answer;
import dev.rekindle.controller.notification.Answer.Delivered;
import dev.rekindle.controller.notification.Answer.Refused;
import dev.rekindle.controller.notification.Answer.Trouble;
import dev.rekindle.controller.notification.Answer.Unavailable;
import dev.rekindle.controller.notification.Notification;
import dev.rekindle.controller.notification.NotificationType;
import dev.rekindle.controller.notification.RecoveryNotifications;
import dev.rekindle.controller.notification.Stories;
import dev.rekindle.controller.notification.Webhook;
import dev.rekindle.controller.notification.Webhook.Format;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Against real servers on this machine: good, broken and hostile ones. */
@Timeout(60)
class HttpSenderTest {
  private static final String KEY = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  private static final Instant NOW = Instant.parse("2026-11-25T12:00:00Z");
  private static final Notification NOTIFICATION =
      RecoveryNotifications.of(Stories.of("r", RecoveryPhase.DETECTED), Given.T0.minusSeconds(1))
          .getFirst();

  /** Long enough for a busy machine, where an answer is expected. */
  private static final Duration PATIENT = Duration.ofSeconds(30);

  private static final Duration SHORT = Duration.ofMillis(300);

  private record Request(String path, String id, String time, String signature, String body) {}

  @TempDir private Path secret = Path.of("/none");
  private final BlockingQueue<Request> requests = new LinkedBlockingQueue<>();
  private final CountDownLatch over = new CountDownLatch(1);
  private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();

  @SuppressWarnings("NullAway.Init") // set before each test
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    Files.writeString(secret.resolve("secret"), KEY);
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(workers);
    server.start();
  }

  @AfterEach
  void stop() {
    over.countDown();
    server.stop(0);
    workers.shutdownNow();
  }

  private interface Reply {
    void to(HttpExchange exchange) throws IOException;
  }

  private void replies(Reply reply) {
    server.createContext(
        "/",
        exchange -> {
          var headers = exchange.getRequestHeaders();
          requests.add(
              new Request(
                  exchange.getRequestURI().getPath(),
                  String.valueOf(headers.getFirst("webhook-id")),
                  String.valueOf(headers.getFirst("webhook-timestamp")),
                  String.valueOf(headers.getFirst("webhook-signature")),
                  text(exchange)));
          reply.to(exchange);
          exchange.close();
        });
  }

  private static String text(HttpExchange exchange) throws IOException {
    return new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
  }

  private static byte[] bytes(Request request) {
    return request.body().getBytes(StandardCharsets.UTF_8);
  }

  private void repliesWith(int status) {
    replies(exchange -> exchange.sendResponseHeaders(status, -1));
  }

  private String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/in";
  }

  private Answer send(String url, Format format, Duration limit) {
    Webhook webhook = new Webhook("ops", url, secret, format, NotificationType.USUAL);
    try (HttpSender sender = new HttpSender("", () -> NOW, limit)) {
      return sender.send(webhook, NOTIFICATION);
    }
  }

  private Answer send() {
    return send(url(), Format.CLOUDEVENTS, PATIENT);
  }

  private static Trouble trouble(Answer answer) {
    return answer instanceof Unavailable u ? u.trouble() : Trouble.valueOf("none: " + answer);
  }

  @Test
  void shouldSendATestAsItSendsEverythingElse() throws InterruptedException {
    repliesWith(204);
    for (Format format : Format.values()) {
      Webhook webhook = new Webhook("ops", url(), secret, format, NotificationType.USUAL);
      try (HttpSender sender = new HttpSender("west", () -> NOW, PATIENT)) {
        assertThat(sender.test(webhook)).isEqualTo(new Delivered());
      }
      Request request = requests.take();
      assertThat(request.id()).startsWith("test_m");
      assertThat(request.signature())
          .isEqualTo(SigningKeys.parse(KEY).sign(request.id(), NOW, bytes(request)));
      assertThat(request.body())
          .contains("A test: this webhook takes what Rekindle sends")
          .contains(format == Format.SLACK ? "west: A test" : "dev.rekindle.test.v1");
    }
  }

  @Test
  void shouldPostASignedCloudEvent() throws InterruptedException {
    repliesWith(204);

    assertThat(send()).isEqualTo(new Delivered());

    Request request = requests.take();
    assertThat(request.path()).isEqualTo("/in");
    assertThat(request.id()).isEqualTo(NOTIFICATION.id());
    assertThat(request.time()).isEqualTo(Long.toString(NOW.getEpochSecond()));
    assertThat(request.signature())
        .isEqualTo(SigningKeys.parse(KEY).sign(NOTIFICATION.id(), NOW, bytes(request)));
    assertThat(request.body()).contains("dev.rekindle.recovery.opened.v1");
  }

  @Test
  void shouldTakeUpANewKeyWithoutARestart() throws IOException, InterruptedException {
    repliesWith(200);
    Webhook webhook = new Webhook("ops", url(), secret, Format.CLOUDEVENTS, NotificationType.USUAL);
    String other = KEY.replace('M', 'N');
    try (HttpSender sender = new HttpSender("", () -> NOW, PATIENT)) {
      assertThat(sender.send(webhook, NOTIFICATION)).isEqualTo(new Delivered());
      Files.writeString(secret.resolve("secret"), other + "\n" + KEY);
      assertThat(sender.send(webhook, NOTIFICATION)).isEqualTo(new Delivered());
    }

    assertThat(List.of(requests.take(), requests.take()))
        .extracting(r -> r.signature().split(" ").length)
        .containsExactly(1, 2);
  }

  @Test
  void shouldSendNothingUnsigned() throws IOException {
    repliesWith(200);
    Files.delete(secret.resolve("secret"));

    assertThat(trouble(send())).isEqualTo(Trouble.NOT_CONFIGURED);
    assertThat(requests).isEmpty();
  }

  @Test
  void shouldTakeTheUrlFromTheSecret() throws IOException, InterruptedException {
    repliesWith(200);
    Files.writeString(secret.resolve("url"), url() + "\n");
    Files.delete(secret.resolve("secret"));

    assertThat(send("", Format.SLACK, PATIENT)).isEqualTo(new Delivered());
    assertThat(requests.take().body()).contains("\"text\"");
  }

  @Test
  void shouldSayThatNoUrlIsThereOrThatItIsNone() throws IOException {
    assertThat(trouble(send("", Format.SLACK, PATIENT))).isEqualTo(Trouble.NOT_CONFIGURED);

    Files.writeString(secret.resolve("url"), "http://user:word@127.0.0.1:1/");
    assertThat(trouble(send("", Format.SLACK, PATIENT))).isEqualTo(Trouble.NOT_CONFIGURED);

    Files.writeString(secret.resolve("url"), "file:///etc/passwd");
    assertThat(send("", Format.SLACK, PATIENT))
        .isInstanceOfSatisfying(
            Unavailable.class, u -> assertThat(u.detail()).doesNotContain("passwd"));
  }

  @Test
  void shouldSayThatTheReceiverFails() {
    repliesWith(500);

    assertThat(trouble(send())).isEqualTo(Trouble.SERVER_ERROR);
  }

  @Test
  void shouldSayThatTheReceiverRefuses() {
    repliesWith(422);

    assertThat(send()).isEqualTo(new Refused(422));
  }

  @Test
  void shouldHearForHowLongToLeaveItAlone() {
    replies(
        exchange -> {
          exchange.getResponseHeaders().add("Retry-After", "17");
          exchange.sendResponseHeaders(429, -1);
        });

    assertThat(send()).isEqualTo(new Unavailable(Trouble.BUSY, 429, "", Duration.ofSeconds(17)));
  }

  @Test
  void shouldNotFollowARedirect() {
    replies(
        exchange -> {
          exchange.getResponseHeaders().add("Location", url() + "/elsewhere");
          exchange.sendResponseHeaders(307, -1);
        });

    assertThat(trouble(send())).isEqualTo(Trouble.REDIRECT);
    assertThat(requests).hasSize(1);
  }

  @Test
  void shouldNotWaitForAReceiverThatHangs() {
    replies(
        _ -> {
          try {
            over.await();
          } catch (InterruptedException ends) {
            Thread.currentThread().interrupt();
          }
        });

    assertThat(trouble(send(url(), Format.CLOUDEVENTS, SHORT))).isEqualTo(Trouble.TIMEOUT);
  }

  /** Were it read, this would end at the time limit, or in want of memory. */
  @Test
  void shouldNotReadABodyWithoutEnd() {
    replies(
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          byte[] chunk = new byte[64 * 1024];
          try (OutputStream out = exchange.getResponseBody()) {
            while (over.getCount() > 0) {
              out.write(chunk);
            }
          } catch (IOException closed) {
            over.countDown();
          }
        });

    assertThat(send()).isEqualTo(new Delivered());
    assertThat(await(over)).isTrue();
  }

  private static boolean await(CountDownLatch latch) {
    try {
      return latch.await(60, SECONDS);
    } catch (InterruptedException ends) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Test
  void shouldSayThatTheConnectionIsRefused() throws IOException {
    int port;
    try (ServerSocket socket = new ServerSocket(0)) {
      port = socket.getLocalPort();
    }

    assertThat(trouble(send("http://127.0.0.1:" + port, Format.CLOUDEVENTS, PATIENT)))
        .isEqualTo(Trouble.NO_ANSWER);
  }

  @Test
  void shouldSayThatTheConnectionWasReset() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
      var _ =
          workers.submit(
              () -> {
                while (!socket.isClosed()) {
                  try (Socket reset = socket.accept()) {
                    reset.setSoLinger(true, 0);
                    int _ = reset.getInputStream().read();
                  }
                }
                return true;
              });

      Answer answer =
          send("http://127.0.0.1:" + socket.getLocalPort(), Format.CLOUDEVENTS, PATIENT);

      assertThat(trouble(answer)).isEqualTo(Trouble.NO_ANSWER);
    }
  }

  @Test
  void shouldSayThatTheAnswerIsNoHttp() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
      var _ =
          workers.submit(
              () -> {
                try (Socket any = socket.accept()) {
                  any.getOutputStream()
                      .write("SSH-2.0-secret\r\n\r\n".getBytes(StandardCharsets.UTF_8));
                  int _ = any.getInputStream().read();
                }
                return true;
              });

      Answer answer =
          send("http://127.0.0.1:" + socket.getLocalPort(), Format.CLOUDEVENTS, PATIENT);

      assertThat(answer)
          .isInstanceOfSatisfying(
              Unavailable.class,
              u -> {
                assertThat(u.trouble()).isEqualTo(Trouble.NO_ANSWER);
                assertThat(u.detail()).doesNotContain("secret");
              });
    }
  }
}
