package dev.rekindle.controller.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.rekindle.cli.CommandTree;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** How the commands on a cluster end where the cluster refuses, or is not there. */
class CommandEndsTest {
  private static final Instant NOW = Instant.parse("2026-11-21T06:00:00Z");

  private static final List<String> COMMANDS =
      List.of(
          "list",
          "list -A",
          "timeline x",
          "approve x",
          "approve --fault x",
          "release --yes x",
          "doctor x",
          "report",
          "report -A -o json",
          "notify-test");

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final List<HttpServer> servers = new ArrayList<>();

  @AfterEach
  void stop() {
    servers.forEach(server -> server.stop(0));
  }

  private int run(Supplier<KubernetesClient> clients, String line) {
    var cluster = new ClusterAccess(clients);
    var clock = InstantSource.fixed(NOW);
    return CommandTree.of(
            List.of(
                new ListCommand(stream(out), cluster, clock),
                new TimelineCommand(stream(out), cluster),
                new ApproveCommand(stream(out), cluster),
                new ReleaseCommand(stream(out), cluster, _ -> Optional.empty()),
                new DoctorCommand(stream(out), cluster, clock),
                new ReportCommand(stream(out), cluster, clock),
                new NotifyTestCommand(stream(out), cluster)))
        .run(words(line), stream(out), stream(err));
  }

  private static List<String> words(String line) {
    return Pattern.compile(" ").splitAsStream(line).toList();
  }

  private static PrintStream stream(ByteArrayOutputStream to) {
    return new PrintStream(to, true, StandardCharsets.UTF_8);
  }

  private String said() {
    return err.toString(StandardCharsets.UTF_8);
  }

  private static KubernetesClient client(int port) {
    return new KubernetesClientBuilder()
        .withConfig(
            new ConfigBuilder(io.fabric8.kubernetes.client.Config.empty())
                .withMasterUrl("http://127.0.0.1:" + port)
                .withRequestRetryBackoffLimit(0)
                .withConnectionTimeout(2_000)
                .build())
        .build();
  }

  /** An API server that answers every request alike, in the words of a Status. */
  private int answering(int code) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    servers.add(server);
    byte[] body =
        """
        {"kind":"Status","apiVersion":"v1","status":"Failure","code":%d,"message":"words of it"}\
        """
            .formatted(code)
            .getBytes(StandardCharsets.UTF_8);
    server.createContext(
        "/",
        exchange -> {
          exchange.getResponseHeaders().add("Content-Type", "application/json");
          exchange.sendResponseHeaders(code, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    return server.getAddress().getPort();
  }

  static Stream<Arguments> refusals() {
    return COMMANDS.stream()
        .flatMap(
            line ->
                Stream.of(
                    Arguments.of(line, 403, ": words of it; it takes a role that may "),
                    Arguments.of(line, 401, "does not know you"),
                    Arguments.of(line, 500, ": words of it\n")));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource
  void refusals(String line, int code, String words) throws Exception {
    int port = answering(code);
    assertThat(run(() -> client(port), line)).isEqualTo(1);
    assertThat(said())
        .startsWith("rekindle " + words(line).getFirst() + ": ")
        .contains(words)
        .hasLineCount(1);
    assertThat(out.size()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "list, are Rekindle's CRDs installed?",
    "timeline x, no recovery x in namespace default",
    "approve x, no recovery x in namespace default; a NodeFault is approved with --fault",
    "approve --fault x, no NodeFault x",
    "release --yes x, no node x",
    "doctor x, no PyTorchJob x in namespace default",
    "report, are Rekindle's CRDs installed?"
  })
  void notThere(String line, String words) throws Exception {
    int port = answering(404);
    assertThat(run(() -> client(port), line)).isEqualTo(1);
    assertThat(said()).contains(words).hasLineCount(1);
  }

  static Stream<String> everyCommand() {
    return COMMANDS.stream();
  }

  @ParameterizedTest
  @MethodSource("everyCommand")
  void noCluster(String line) throws Exception {
    int port = answering(200);
    stop();
    assertThat(run(() -> client(port), line)).isEqualTo(1);
    assertThat(said())
        .contains("the API server at http://127.0.0.1:" + port + "/ does not answer")
        .hasLineCount(1);
  }

  @ParameterizedTest
  @MethodSource("everyCommand")
  void noKubeconfig(String line) {
    assertThat(
            run(
                () -> {
                  throw new KubernetesClientException("it is not YAML");
                },
                line))
        .isEqualTo(1);
    assertThat(said()).contains("the kubeconfig cannot be used: it is not YAML").hasLineCount(1);
  }

  @ParameterizedTest
  @CsvSource({
    "list -A -n team",
    "list -o xml",
    "timeline",
    "timeline -o xml x",
    "approve",
    "release",
    "release --dry-run=server x",
    "doctor x y",
    "doctor -o xml x",
    "report -A -n team",
    "report --since soon",
    "report --by gpu",
    "notify-test one two"
  })
  void wrongUsage(String line) {
    assertThat(
            run(
                () -> {
                  throw new AssertionError("nothing is asked");
                },
                line))
        .isEqualTo(2);
    assertThat(said()).contains("--help'.");
    assertThat(out.size()).isZero();
  }

  /** The help of each command names the codes that this class has seen. */
  @ParameterizedTest
  @CsvSource({"list", "timeline", "approve", "release", "doctor", "report", "notify-test"})
  void helpNamesTheExitCodes(String command) {
    assertThat(run(() -> client(1), command + " --help")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .containsPattern("\n +0 +")
        .containsPattern("\n +1 +not found")
        .containsPattern("\n +2 +wrong usage");
  }

  @Test
  void doctorHasACodeForWhatIsMissing() {
    assertThat(run(() -> client(1), "doctor --help")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8)).containsPattern("\n +3 +something is missing");
  }
}
