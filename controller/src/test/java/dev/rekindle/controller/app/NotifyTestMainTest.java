package dev.rekindle.controller.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What runs in a pod of the controller, against receivers on this machine. */
@Timeout(60)
class NotifyTestMainTest {
  private static final String KEY = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

  @TempDir private Path secrets = Path.of("/none");
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final Queue<String> received = new ConcurrentLinkedQueue<>();

  @SuppressWarnings("NullAway.Init") // set before each test
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    for (String name : new String[] {"ops", "chat"}) {
      Files.writeString(Files.createDirectory(secrets.resolve(name)).resolve("secret"), KEY);
    }
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          String path = exchange.getRequestURI().getPath();
          received.add(
              path
                  + " "
                  + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
          exchange.sendResponseHeaders(path.equals("/good") ? 204 : 403, -1);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private int run(String name, String... paths) {
    return run(name.isEmpty() ? List.of() : List.of(name), paths);
  }

  private int run(List<String> args, String... paths) {
    out.reset();
    String[] names = {"ops", "chat"};
    String url = "http://127.0.0.1:" + server.getAddress().getPort();
    StringBuilder webhooks = new StringBuilder();
    for (int i = 0; i < paths.length; i++) {
      webhooks
          .append(i == 0 ? "" : ",")
          .append(
              """
              {"name":"%s","url":"%s%s","format":"cloudevents","events":[]}
              """
                  .formatted(names[i], url, paths[i]));
    }
    Map<String, String> environment =
        Map.of("REKINDLE_NOTIFICATIONS", "{\"webhooks\":[%s]}".formatted(webhooks));
    return NotifyTestMain.run(
        args,
        environment,
        secrets,
        InstantSource.system(),
        new PrintStream(out, true, StandardCharsets.UTF_8));
  }

  private String said() {
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void shouldSendEachOneATestAndSayWhatCameOfIt() {
    assertThat(run("", "/good", "/good")).isZero();
    assertThat(said()).isEqualTo("ok       ops: taken\nok       chat: taken\n");
    assertThat(received).hasSize(2).allMatch(r -> r.contains("dev.rekindle.test.v1"));
  }

  @Test
  void shouldFailWhereOneIsNotTaken() {
    assertThat(run("", "/good", "/bad")).isEqualTo(1);
    assertThat(said()).isEqualTo("ok       ops: taken\nFAILED   chat: denied, status 403\n");
  }

  @Test
  void shouldSendTheOneThatIsNamed() {
    assertThat(run("ops", "/good", "/bad")).isZero();
    assertThat(received).hasSize(1);
    assertThat(run("none", "/good")).isEqualTo(1);
    assertThat(said()).isEqualTo("FAILED   none: there is no webhook of that name\n");
  }

  /** As the command requests it with {@code -o json}: typed, in one line each. */
  @Test
  void shouldPrintALineOfJsonForEachWebhook() {
    assertThat(run(List.of("--json"), "/good", "/bad")).isEqualTo(1);
    assertThat(said().lines().map(NotifyTestResult::read).map(Optional::orElseThrow))
        .containsExactly(
            new NotifyTestResult("ops", true, "taken"),
            new NotifyTestResult("chat", false, "denied, status 403"));
    assertThat(run(List.of("--json", "none"), "/good")).isEqualTo(1);
    assertThat(said().lines().map(NotifyTestResult::read).map(Optional::orElseThrow))
        .containsExactly(new NotifyTestResult("none", false, "there is no webhook of that name"));
  }

  @Test
  void shouldFailWithoutAWebhookOrAKey() throws IOException {
    assertThat(run("")).isEqualTo(1);
    assertThat(said()).contains("notifications.webhooks");
    Files.delete(secrets.resolve("ops/secret"));
    assertThat(run("", "/good")).isEqualTo(1);
    assertThat(said()).contains("FAILED   ops: not_configured", "no key 'secret'");
    assertThat(received).isEmpty();
  }
}
