package dev.rekindle.testbed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The webhook of {@code testbed/values.yaml}, on this host, which pods reach. Takes what is signed
 * with the key that {@code testbed/release.sh} has put into a Secret, and nothing else.
 */
final class NotificationReceiver implements AutoCloseable {
  private static final int PORT = 18_998;
  private static final byte[] KEY = Base64.getDecoder().decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
  private static final int TAKEN = 204;
  private static final int UNSIGNED = 401;

  private final HttpServer server;
  private final Set<String> ids = new HashSet<>();
  private final List<String> events = new ArrayList<>();

  private NotificationReceiver(HttpServer server) {
    this.server = server;
  }

  static NotificationReceiver start() throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress(PORT), 0);
    NotificationReceiver receiver = new NotificationReceiver(server);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", receiver::take);
    server.start();
    return receiver;
  }

  /** Types of the events of that subject, in order of arrival, without duplicates. */
  synchronized List<String> of(String subject) {
    return events.stream()
        .filter(e -> e.endsWith(" " + subject))
        .map(e -> e.substring(0, e.indexOf(' ')))
        .toList();
  }

  private void take(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    boolean signed = signed(exchange.getRequestHeaders(), body);
    if (signed) {
      keep(new ObjectMapper().readTree(body));
    }
    exchange.sendResponseHeaders(signed ? TAKEN : UNSIGNED, -1);
    exchange.close();
  }

  private synchronized void keep(JsonNode event) {
    if (ids.add(event.path("id").asText())) {
      events.add(event.path("type").asText() + " " + event.path("subject").asText());
    }
  }

  private static boolean signed(Headers headers, byte[] body) throws IOException {
    String head =
        headers.getFirst("webhook-id") + "." + headers.getFirst("webhook-timestamp") + ".";
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(KEY, "HmacSHA256"));
      mac.update(head.getBytes(StandardCharsets.UTF_8));
      String expected = "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
      return expected.equals(headers.getFirst("webhook-signature"));
    } catch (GeneralSecurityException none) {
      throw new IOException(none);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
