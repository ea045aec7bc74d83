package dev.rekindle.simulator.drill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.simulator.Simulation;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class DrillPageTest {
  private static FinalObjects objects() {
    try (Simulation simulation = Simulation.of(DrillSetup.setup(Scenario.GPU_LOST, 1, 1))) {
      ClusterReporter reporter = new ClusterReporter(simulation, _ -> {});
      DrillCluster scene = DrillCluster.train(simulation, reporter, 1);
      Scenario.GPU_LOST.strike(scene);
      assertThat(scene.until(reporter::over)).isTrue();
      return FinalObjects.of(simulation, Map.of());
    }
  }

  @ParameterizedTest
  @EnumSource(Scenario.class)
  void shouldWriteAPageThatSaysWhatTheRecoverySays(Scenario scenario, @TempDir Path folder)
      throws IOException {
    Path file = folder.resolve("page.html");
    DrillRun run = DrillRun.of("--json", "--scenario", scenario.word(), "--page", file.toString());
    assertThat(run.code()).isZero();
    assertThat(Files.readString(file))
        .contains("Recovered")
        .contains(run.status().at("/cause/reason").asText())
        .contains(run.status().at("/timeline").findValuesAsText("phase").getFirst())
        .contains("First step after");
  }

  @Test
  void shouldSayWhyThePageCannotBeWritten(@TempDir Path folder) {
    DrillRun run = DrillRun.of("--page", folder.resolve("no/such/page.html").toString());
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).contains("cannot be written: no such file");
  }

  @ParameterizedTest
  @CsvSource({
    "/, 200, Recoveries",
    "/recoveries/default/llm-r1, 200, Recovered",
    "/recoveries/default/llm-r1.md, 200, # llm",
    "/recoveries/default/llm-r1.json, 200, rekindle.dev/v1alpha1",
    "/fleet, 200, XID-79",
    "/nodes/no-such, 404, There is no such page.",
    "/recoveries/other/llm-r1, 404, There is no such page.",
    "/../../etc/passwd, 404, There is no such page."
  })
  void shouldServeThePagesToThisMachine(String path, int status, String text) throws Exception {
    try (PageServer server = PageServer.start(objects(), 0);
        HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<String> answer =
          http.send(
              HttpRequest.newBuilder(URI.create(server.url() + path.substring(1))).build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(status);
      assertThat(answer.body()).contains(text);
      assertThat(answer.headers().firstValue("Content-Security-Policy")).isPresent();
    }
  }

  @Test
  void shouldRefuseARequestForAnotherHostsName() throws IOException {
    try (PageServer server = PageServer.start(objects(), 0);
        Socket socket = new Socket("localhost", URI.create(server.url()).getPort())) {
      socket
          .getOutputStream()
          .write(
              "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
                  .getBytes(StandardCharsets.UTF_8));
      assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .startsWith("HTTP/1.1 403");
    }
  }
}
