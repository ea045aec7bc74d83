package dev.rekindle.watch;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.StandardHttpRequest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AsciiWatchTest {
  private static final String WATCH = "http://api/api/v1/pods?watch=true&resourceVersion=1";

  private static String event(String text) {
    return """
    {"type":"MODIFIED","object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p",\
    "namespace":"team","resourceVersion":"2","annotations":{"note":"%s"}}}}
    """
        .formatted(text);
  }

  /** What a consumer is given of a body that comes in buffers of so many bytes. */
  private static List<String> consumed(String uri, String body, int size) throws Exception {
    List<String> seen = new ArrayList<>();
    AsyncBody.Consumer<List<ByteBuffer>> consumer =
        new AsciiWatch()
            .consumer(
                (buffers, _) ->
                    buffers.forEach(b -> seen.add(UTF_8.decode(b.duplicate()).toString())),
                new StandardHttpRequest.Builder().uri(uri).build());
    byte[] bytes = body.getBytes(UTF_8);
    for (int from = 0; from < bytes.length; from += size) {
      byte[] part = Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + size));
      consumer.consume(List.of(ByteBuffer.wrap(part)), NoBody.BODY);
    }
    return seen;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 1_000})
  void shouldEscapeWhatIsBeyondAsciiHoweverItIsCut(int size) throws Exception {
    assertThat(String.join("", consumed(WATCH, "{\"a\":\"Läufe 実験 😀\"}\n", size)))
        .isEqualTo("{\"a\":\"L\\u00e4ufe \\u5b9f\\u9a13 \\ud83d\\ude00\"}\n");
  }

  @Test
  void shouldLeaveEverythingElseAsItIs() throws Exception {
    assertThat(consumed("http://api/api/v1/pods", "Läufe", 100)).containsExactly("Läufe");
    assertThat(consumed(WATCH, "{\"a\":\"\\u00e4\"}\n", 100))
        .containsExactly("{\"a\":\"\\u00e4\"}\n");
  }

  @Test
  void shouldReplaceBytesThatAreNoText() throws Exception {
    byte[] bytes = {'"', (byte) 0xff, '"', (byte) 0xe4, '"', '\n'};
    List<String> seen = new ArrayList<>();
    new AsciiWatch()
        .consumer(
            (buffers, _) -> buffers.forEach(b -> seen.add(UTF_8.decode(b).toString())),
            new StandardHttpRequest.Builder().uri(WATCH).build())
        .consume(List.of(ByteBuffer.wrap(bytes)), NoBody.BODY);
    assertThat(seen).containsExactly("\"\\ufffd\"\\ufffd\"\n");
  }

  /**
   * The library's own watch, over a connection that cuts a character in two. A socket serves it, as
   * the JDK's server would take its limits from before {@code ProbeServer} has set them.
   */
  @Test
  void shouldKeepAWatchOfTheLibraryOpen() throws Exception {
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread.ofVirtual().start(() -> answer(server));
      try (KubernetesClient client =
              new KubernetesClientBuilder()
                  .withConfig(
                      new ConfigBuilder()
                          .withMasterUrl("http://127.0.0.1:" + server.getLocalPort())
                          .withOnlyHttpWatches(true)
                          .build())
                  .withHttpClientBuilderConsumer(
                      http -> http.addOrReplaceInterceptor(AsciiWatch.NAME, new AsciiWatch()))
                  .build();
          var _ = client.pods().inNamespace("team").watch(new Notes(seen))) {
        assertThat(seen.poll(30, TimeUnit.SECONDS)).isEqualTo("Läufe");
        assertThat(seen.poll(30, TimeUnit.SECONDS)).isEqualTo("実験 😀");
        assertThat(seen.poll(30, TimeUnit.SECONDS)).isEqualTo("plain");
      }
    }
  }

  /** Answers one request, and then waits until the client closes the connection. */
  private static void answer(ServerSocket server) {
    try (var connection = server.accept()) {
      var in = new BufferedReader(new InputStreamReader(connection.getInputStream(), US_ASCII));
      while (!in.readLine().isEmpty()) {
        // One more header.
      }
      OutputStream out = connection.getOutputStream();
      out.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".getBytes(US_ASCII));
      out.write(event("Läufe").getBytes(UTF_8));
      out.flush();
      byte[] cut = event("実験 😀").getBytes(UTF_8);
      int middle = event("").indexOf("\"note\":\"") + "\"note\":\"".length() + 1;
      out.write(cut, 0, middle);
      out.flush();
      out.write(cut, middle, cut.length - middle);
      out.write(event("plain").getBytes(UTF_8));
      out.flush();
      var _ = in.read();
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private record Notes(BlockingQueue<String> seen) implements Watcher<Pod> {
    @Override
    public void eventReceived(Action action, Pod pod) {
      seen.add(pod.getMetadata().getAnnotations().get("note"));
    }

    @Override
    public void onClose(WatcherException cause) {
      seen.add("closed: " + cause);
    }
  }

  /** Nothing asks it for more. */
  private enum NoBody implements AsyncBody {
    BODY;

    @Override
    public void consume() {
      throw new UncheckedIOException(new IOException("not asked"));
    }

    @Override
    public CompletableFuture<Void> done() {
      return new CompletableFuture<>();
    }

    @Override
    public void cancel() {
      throw new UncheckedIOException(new IOException("not cancelled"));
    }
  }
}
