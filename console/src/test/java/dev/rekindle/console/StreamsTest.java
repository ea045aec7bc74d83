package dev.rekindle.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.micronaut.context.annotation.Property;
import io.micronaut.runtime.server.EmbeddedServer;
import io.micronaut.test.extensions.junit5.annotation.MicronautTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who listens, and how often. */
@MicronautTest
@Property(name = "micronaut.server.port", value = "-1")
@Property(name = "micronaut.server.host", value = "localhost")
@Property(name = "rekindle.console.max-streams", value = "8")
@Property(name = "rekindle.console.max-streams-per-user", value = "5")
@Timeout(60)
class StreamsTest {
  @Inject private EmbeddedServer server;

  private final HttpClient http = HttpClient.newHttpClient();

  private HttpResponse<InputStream> listen(String token) throws IOException, InterruptedException {
    URI events = URI.create(server.getURI() + "/api/v1/events?namespace=" + of(token));
    return http.send(
        HttpRequest.newBuilder(events).header("Authorization", "Bearer " + token).build(),
        BodyHandlers.ofInputStream());
  }

  private static String of(String token) {
    return token.equals("eve") ? "other" : "ml";
  }

  @Test
  void shouldLeaveRoomForOthersWhenOneUserOpensAllTheStreamsThatItCan()
      throws IOException, InterruptedException {
    List<HttpResponse<InputStream>> open = new ArrayList<>();
    try {
      for (int i = 0; i < 20; i++) {
        open.add(listen("eve"));
      }
      HttpResponse<InputStream> other = listen("bob");
      open.add(other);
      assertThat(other.statusCode()).isEqualTo(200);
      assertThat(open.stream().limit(20).filter(one -> one.statusCode() == 200)).hasSize(5);
    } finally {
      for (HttpResponse<InputStream> one : open) {
        one.body().close();
      }
    }
  }

  @Test
  void shouldCountServiceAccountsOfANamespaceTogether() {
    Streams streams = new Streams(4, 2);
    assertThat(streams.open(visitor("system:serviceaccount:ml:a"))).isTrue();
    assertThat(streams.open(visitor("system:serviceaccount:ml:b"))).isTrue();
    assertThat(streams.open(visitor("system:serviceaccount:ml:c"))).isFalse();
    assertThat(streams.open(visitor("system:serviceaccount:other:a"))).isTrue();
    assertThat(streams.open(visitor("oidc:ml:a"))).isTrue();
    assertThat(streams.open(visitor("oidc:ml:b"))).as("of all").isFalse();
    streams.close(visitor("system:serviceaccount:ml:a"));
    assertThat(streams.open(visitor("system:serviceaccount:ml:c"))).isTrue();
  }

  private static Visitor visitor(String name) {
    return new Visitor(name, "", List.of(), Map.of());
  }
}
