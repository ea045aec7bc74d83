package dev.rekindle.testbed;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A server of S3's protocol, moto, as a process of the host that pods reach, with one bucket, and
 * the Secret with keys for it.
 */
final class ObjectStore implements AutoCloseable {
  static final String BUCKET = "checkpoints";

  /** This host for every pod. */
  private static final String HOST = "10.244.0.1";

  private static final Duration INSTALLED = Duration.ofMinutes(3);
  private static final Duration STARTED = Duration.ofMinutes(2);

  private final Process server;
  private final int port;
  private final KubernetesClient client;

  private ObjectStore(Process server, int port, KubernetesClient client) {
    this.server = server;
    this.port = port;
    this.client = client;
  }

  /** Starts one, and makes the Secret. */
  static ObjectStore start(KubernetesClient client) {
    String installed =
        Command.run(INSTALLED, Testbed.ROOT.resolve("testbed/install.sh").toString(), "moto");
    Path wheels = Path.of(installed.strip());
    int port = freePort();
    try {
      ProcessBuilder program =
          new ProcessBuilder(
                  "python3", "-m", "moto.server", "-H", "0.0.0.0", "-p", Integer.toString(port))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD);
      program.environment().put("PYTHONPATH", wheels.toString());
      ObjectStore store = new ObjectStore(program.start(), port, client);
      Await.until("moto answers", STARTED, () -> put("http://127.0.0.1:" + port + "/" + BUCKET));
      client.resource(secret()).serverSideApply();
      return store;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean put(String url) {
    try (HttpClient caller = HttpClient.newHttpClient()) {
      return caller
              .send(
                  HttpRequest.newBuilder(URI.create(url))
                      .PUT(HttpRequest.BodyPublishers.noBody())
                      .build(),
                  BodyHandlers.discarding())
              .statusCode()
          == 200;
    } catch (IOException notYet) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static Secret secret() {
    return new SecretBuilder()
        .withNewMetadata()
        .withNamespace(Testbed.NAMESPACE)
        .withName("rekindle-checkpoints")
        .endMetadata()
        .addToStringData("AWS_ACCESS_KEY_ID", "test")
        .addToStringData("AWS_SECRET_ACCESS_KEY", "test")
        .build();
  }

  /** As pods reach it. */
  String endpoint() {
    return "http://" + HOST + ":" + port;
  }

  @Override
  public void close() {
    client.resource(secret()).delete();
    server.destroy();
  }
}
