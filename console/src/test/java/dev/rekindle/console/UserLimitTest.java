package dev.rekindle.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.micronaut.context.annotation.Property;
import io.micronaut.runtime.server.EmbeddedServer;
import io.micronaut.test.extensions.junit5.annotation.MicronautTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a user is told for whom the API server was asked too often. */
@MicronautTest
@Property(name = "micronaut.server.port", value = "-1")
@Property(name = "micronaut.server.host", value = "localhost")
@Property(name = "rekindle.console.max-reviews-per-user", value = "32")
@Property(name = "rekindle.console.review-seconds", value = "300")
@Timeout(60)
class UserLimitTest {
  @Inject private EmbeddedServer server;

  private final HttpClient http = HttpClient.newHttpClient();

  private HttpResponse<String> get(String path, String token)
      throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(URI.create(server.getURI() + path))
            .header("Authorization", "Bearer " + token)
            .build(),
        BodyHandlers.ofString());
  }

  @Test
  void shouldSayThatTheLimitIsReachedAndServeOthers() throws IOException, InterruptedException {
    assertThat(get("/api/v1/recoveries?namespace=other", "eve").statusCode()).isEqualTo(200);
    int answered = 0;
    while (get("/api/v1/recoveries/team-" + answered + "/r", "eve").statusCode() == 403) {
      answered++;
    }
    assertThat(answered).isBetween(20, 100);

    HttpResponse<String> program = get("/api/v1/recoveries/team/r", "eve");
    assertThat(program.statusCode()).isEqualTo(429);
    assertThat(program.headers().firstValue("Retry-After"))
        .hasValueSatisfying(seconds -> assertThat(seconds).matches("[1-9]|10"));
    assertThat(program.body()).contains("asked too often");
    HttpResponse<String> person = get("/recoveries/team/r", "eve");
    assertThat(person.statusCode()).isEqualTo(429);
    assertThat(person.body()).contains("Too Many Requests").contains("asked too often");

    assertThat(get("/api/v1/recoveries?namespace=other", "eve").statusCode())
        .as("what is known")
        .isEqualTo(200);
    assertThat(get("/api/v1/recoveries?namespace=ml", "bob").statusCode()).isEqualTo(200);
  }
}
