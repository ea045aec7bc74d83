package dev.rekindle.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPhase;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micronaut.context.annotation.Property;
import io.micronaut.runtime.server.EmbeddedServer;
import io.micronaut.test.extensions.junit5.annotation.MicronautTest;
import jakarta.inject.Inject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@MicronautTest
@Property(name = "micronaut.server.port", value = "-1")
@Property(name = "micronaut.server.host", value = "localhost")
@Timeout(60)
class ConsoleTest {
  private static final StubCluster CLUSTER = StubClients.CLUSTER;
  private static final ObjectMapper JSON = new ObjectMapper();

  static {
    KubernetesClient client = CLUSTER.client();
    List.of(
            Given.recovery("ml", "llm-r1", RecoveryPhase.RECOVERED, Given.T0),
            Given.recovery("ml", "llm-r2", RecoveryPhase.RECOVERED, Given.T0.plusSeconds(60)),
            Given.recovery("ml", "llm-r3", RecoveryPhase.HELD, Given.T0.minusSeconds(60)),
            Given.recovery("other", "bert-r1", RecoveryPhase.FAILED, Given.T0))
        .forEach(r -> client.resource(r).create());
    client.resource(Given.fault()).create();
    client.resource(Given.policy()).create();
    client.resource(Given.node()).create();
  }

  @Inject private EmbeddedServer server;
  @Inject private ClusterWatch watch;

  private final HttpClient http = HttpClient.newHttpClient();

  @BeforeEach
  void waitUntilRead() throws InterruptedException {
    while (get("/readyz", "").statusCode() != 200 || watch.recoveries().size() < 4) {
      LockSupport.parkNanos(10_000_000);
    }
  }

  private HttpRequest.Builder request(String path, String token) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.getURI() + path));
    return token.isEmpty() ? request : request.header("Authorization", "Bearer " + token);
  }

  private HttpResponse<String> get(String path, String token) {
    return send(request(path, token).GET().build());
  }

  private HttpResponse<String> send(HttpRequest request) {
    try {
      return http.send(request, BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private JsonNode json(String path, String token) throws IOException {
    HttpResponse<String> response = get(path, token);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return JSON.readTree(response.body());
  }

  private static List<String> names(JsonNode list) {
    List<String> names = new ArrayList<>();
    list.path("items").forEach(item -> names.add(item.path("name").asText()));
    return names;
  }

  @ParameterizedTest
  @CsvSource({
    "/api/v1/recoveries, '', 401",
    "/api/v1/recoveries, mallory, 401",
    "/api/v1/recoveries?namespace=ml, eve, 403",
    "/api/v1/recoveries?namespace=ml, bob, 200",
    "/api/v1/recoveries/ml/llm-r1, eve, 403",
    "/api/v1/recoveries/ml/no-such, eve, 403",
    "/api/v1/recoveries/ml/no-such, bob, 404",
    "/api/v1/recoveries/ml/llm-r1, bob, 200",
    "/api/v1/recoveries?limit=0, alice, 400",
    "/api/v1/recoveries?limit=501, alice, 400",
    "/api/v1/recoveries?cursor=nonsense, alice, 400",
    "/api/v1/faults, bob, 403",
    "/api/v1/faults, alice, 200",
    "/api/v1/events?namespace=ml, eve, 403",
    "/api/v1/events, '', 401",
    "/recoveries/ml/llm-r1, bob, 200",
    "/recoveries/ml/llm-r1, eve, 403",
    "/recoveries, '', 303",
    "/nodes/node-06, bob, 403",
    "/nodes/node-06, alice, 200",
    "/nodes/no-such, alice, 404",
    "/fleet, eve, 403",
    "/fleet, alice, 200",
    "/policies, bob, 403",
    "/policies, alice, 200",
    "/api/v1/policies, eve, 403",
    "/api/v1/policies, alice, 200",
    "/livez, '', 200",
    "/metrics, '', 200",
    "/login, '', 200",
  })
  void shouldGiveOutWhatTheClusterWouldAndNothingElse(String path, String token, int status) {
    HttpResponse<String> response = get(path, token);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    assertThat(response.headers().firstValue("Content-Security-Policy"))
        .hasValueSatisfying(policy -> assertThat(policy).startsWith("default-src 'none'"));
    if (status >= 400) {
      assertThat(response.body()).doesNotContain("XID-79");
    }
  }

  @Test
  void shouldListOnlyTheNamespacesThatAPersonMaySee() throws IOException {
    assertThat(names(json("/api/v1/recoveries", "bob")))
        .containsExactly("llm-r3", "llm-r2", "llm-r1");
    assertThat(names(json("/api/v1/recoveries", "eve"))).containsExactly("bert-r1");
    assertThat(json("/api/v1/recoveries", "alice").path("total").asInt()).isGreaterThanOrEqualTo(4);
    assertThat(names(json("/api/v1/recoveries?phase=held", "alice"))).containsExactly("llm-r3");
    assertThat(names(json("/api/v1/recoveries?node=node-07", "alice"))).isEmpty();
  }

  @Test
  void shouldContinueWhereTheCursorSays() throws IOException {
    List<String> names = new ArrayList<>();
    String cursor = "";
    do {
      JsonNode part = json("/api/v1/recoveries?limit=1&cursor=" + cursor, "alice");
      assertThat(part.path("items")).hasSize(1);
      names.addAll(names(part));
      cursor = part.path("next").asText("");
    } while (!cursor.isEmpty());
    assertThat(names).containsExactly("llm-r3", "llm-r2", "llm-r1", "bert-r1");
  }

  @Test
  void shouldSendNoBodyToWhoHasItAlready() {
    HttpResponse<String> first = get("/api/v1/recoveries/ml/llm-r1", "bob");
    String tag = first.headers().firstValue("ETag").orElseThrow();
    HttpResponse<String> second =
        send(request("/api/v1/recoveries/ml/llm-r1", "bob").header("If-None-Match", tag).build());
    assertThat(second.statusCode()).isEqualTo(304);
    assertThat(second.body()).isEmpty();
  }

  @Test
  void shouldAskTheClusterOnceForManyRequests() {
    get("/recoveries/ml/llm-r1", "bob");
    int before = CLUSTER.reviews();
    for (int i = 0; i < 20; i++) {
      get("/recoveries/ml/llm-r1", "bob");
    }
    assertThat(CLUSTER.reviews()).isEqualTo(before);
  }

  @Test
  void shouldShowFaultsOfNodesOnlyToWhoMaySeeThose() {
    assertThat(get("/recoveries/ml/llm-r1", "alice").body()).contains("node-06.xid-79");
    assertThat(get("/recoveries/ml/llm-r1", "bob").body()).doesNotContain("node-06.xid-79");
  }

  /** 2304 GPU-seconds: 1.28 by the price of all others, 1.92 by that of the node's model. */
  @Test
  void shouldShowPricesToWhoMaySeePoliciesOnceTheModelsOfNodesAreRead() throws Exception {
    long end = System.nanoTime() + 10_000_000_000L;
    String page = get("/recoveries/ml/llm-r1", "alice").body();
    while (!page.contains("1.92 EUR") && System.nanoTime() < end) {
      page = get("/recoveries/ml/llm-r1", "alice").body();
    }
    assertThat(page).contains("1.92 EUR");
    JsonNode first = json("/api/v1/recoveries?node=node-06&limit=1", "alice").at("/items/0");
    assertThat(first.path("cost").asDouble()).isEqualTo(1.92);
    assertThat(first.path("currency").asText()).isEqualTo("EUR");
    assertThat(get("/recoveries", "alice").body()).contains("1.92 EUR");
    assertThat(get("/recoveries", "bob").body()).doesNotContain("EUR");
    assertThat(get("/recoveries/ml/llm-r1", "bob").body()).doesNotContain("EUR");
    assertThat(json("/api/v1/recoveries", "bob").at("/items/0").has("cost")).isFalse();
  }

  @Test
  void shouldSayAboveTheListThatAPolicyIsPaused() throws IOException {
    assertThat(get("/recoveries", "alice").body()).contains("RecoveryPolicy default is paused");
    assertThat(get("/recoveries", "bob").body()).doesNotContain("is paused");
    JsonNode policy = json("/api/v1/policies", "alice").at("/items/0");
    assertThat(policy.path("paused").asBoolean()).isTrue();
    assertThat(policy.path("windowOpen").asBoolean()).isTrue();
    assertThat(policy.path("prices")).hasSize(2);
  }

  @Test
  void shouldExportARecoveryAsMarkdownAndJson() throws IOException {
    assertThat(get("/recoveries/ml/llm-r1.md", "bob").body()).startsWith("# llm\\-r1");
    assertThat(json("/recoveries/ml/llm-r1.json", "bob").at("/status/phase").asText())
        .isEqualTo("Recovered");
    assertThat(get("/recoveries/ml/llm-r1.json", "eve").statusCode()).isEqualTo(403);
  }

  @Test
  void shouldKeepATokenThatWasTypedInWhereNoScriptReadsIt() {
    HttpResponse<String> login = login("bob", "http://localhost:" + server.getPort());
    assertThat(login.statusCode()).isEqualTo(303);
    String cookie = login.headers().firstValue("Set-Cookie").orElseThrow();
    assertThat(cookie).containsIgnoringCase("HttpOnly").contains("SameSite=Strict");
    HttpResponse<String> page =
        send(request("/recoveries", "").header("Cookie", cookie.split(";", 2)[0]).build());
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.body()).contains("llm-r1").doesNotContain("bert-r1");
    assertThat(login("mallory", "http://localhost:" + server.getPort()).statusCode())
        .isEqualTo(401);
    assertThat(login("bob", "http://evil.example").statusCode()).isEqualTo(403);
  }

  private HttpResponse<String> login(String token, String origin) {
    return send(
        request("/login", "")
            .header("Content-Type", "application/x-www-form-urlencoded")
            .header("Origin", origin)
            .POST(HttpRequest.BodyPublishers.ofString("token=" + token))
            .build());
  }

  @Test
  void shouldSayAtOnceThatSomethingChanged() throws Exception {
    HttpResponse<InputStream> stream =
        http.send(
            request("/api/v1/events?namespace=other", "eve").build(), BodyHandlers.ofInputStream());
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(stream.body(), StandardCharsets.UTF_8))) {
      touch("other", "bert-r1");
      assertThat(lines.lines().anyMatch(line -> line.equals("event: change"))).isTrue();
    }
  }

  private static void touch(String namespace, String name) {
    CLUSTER
        .client()
        .resources(Recovery.class)
        .inNamespace(namespace)
        .withName(name)
        .edit(
            r -> {
              r.getMetadata().setLabels(Map.of("touched", "yes"));
              return r;
            });
  }

  @Test
  void shouldDescribeItself() throws IOException {
    JsonNode document = json("/api/v1/openapi.json", "");
    assertThat(document.path("openapi").asText()).startsWith("3.");
    assertThat(document.at("/paths/~1api~1v1~1recoveries/get")).isNotEmpty();
  }
}
