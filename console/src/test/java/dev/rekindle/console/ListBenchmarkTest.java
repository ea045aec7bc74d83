package dev.rekindle.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.browser.Browser;
import dev.rekindle.browser.InBrowser;
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
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;

/** How long the list takes; docs/benchmarks.md has numbers. They are printed and not judged. */
@InBrowser
@MicronautTest
@Property(name = "micronaut.server.port", value = "-1")
@Property(name = "micronaut.server.host", value = "localhost")
@EnabledIfSystemProperty(named = "benchmark.recoveries", matches = "[0-9]+")
class ListBenchmarkTest {
  private static final int RUNS = 100;
  private static final int LOADS = 20;

  @Inject private EmbeddedServer server;
  @Inject private ClusterWatch watch;

  @Test
  void shouldPrintHowLongTheListTakes(Browser browser) throws Exception {
    int number = Integer.getInteger("benchmark.recoveries", 0);
    browser.until("read", () -> watch.synced());
    RecoveryStore store = watch.recoveries().stores().getFirst();
    for (int i = 0; i < number; i++) {
      Recovery recovery =
          Given.recovery(
              "team-" + i % 50, "job-" + i, RecoveryPhase.RECOVERED, Given.T0.plusSeconds(i));
      store.put(store.getKey(recovery), recovery);
    }

    double[] calls = new double[RUNS];
    try (HttpClient http = HttpClient.newHttpClient()) {
      for (int i = -RUNS; i < RUNS; i++) {
        double took = call(http);
        if (i >= 0) {
          calls[i] = took;
        }
      }
    }
    print(number + " recoveries, list call, 100 of them answered", calls);

    browser.open(server.getURI() + "/login");
    browser.driver().findElement(By.name("token")).sendKeys("alice", Keys.ENTER);
    browser.until("listed", () -> browser.text().contains("job-"));
    double[] paints = new double[LOADS];
    for (int i = 0; i < LOADS; i++) {
      browser.open(server.getURI() + "/recoveries");
      browser.until("painted", () -> paint(browser) > 0);
      paints[i] = paint(browser);
    }
    print(number + " recoveries, first paint of the list", paints);
  }

  private double call(HttpClient http) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(server.getURI() + "/api/v1/recoveries?limit=100"))
            .header("Authorization", "Bearer alice")
            .build();
    long began = System.nanoTime();
    HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
    double took = (System.nanoTime() - began) / 1e6;
    assertThat(answer.statusCode()).isEqualTo(200);
    return took;
  }

  private static double paint(Browser browser) {
    Object at =
        browser.evaluate(
            "return performance.getEntriesByName('first-paint').map(e => e.startTime)[0] || 0");
    return ((Number) Objects.requireNonNull(at)).doubleValue();
  }

  private static void print(String what, double[] milliseconds) {
    Arrays.sort(milliseconds);
    System.out.printf(
        "%s: median %.1f ms, slowest %.1f ms of %d%n",
        what,
        milliseconds[milliseconds.length / 2],
        milliseconds[milliseconds.length - 1],
        milliseconds.length);
  }
}
