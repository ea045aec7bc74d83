package dev.rekindle.controller.notification.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.notification.Answer.Delivered;
import dev.rekindle.controller.notification.Answer.Unavailable;
import dev.rekindle.controller.notification.Notification;
import dev.rekindle.controller.notification.NotificationType;
import dev.rekindle.controller.notification.RecoveryNotifications;
import dev.rekindle.controller.notification.Stories;
import dev.rekindle.controller.notification.Webhook;
import dev.rekindle.controller.notification.Webhook.Format;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Against a real server of HTTPS, whose certificate no public authority knows. */
@Timeout(60)
class HttpsSenderTest {
  private static final Instant NOW = Instant.parse("2026-11-25T12:00:00Z");
  private static final Notification NOTIFICATION =
      RecoveryNotifications.of(Stories.of("r", RecoveryPhase.DETECTED), Given.T0.minusSeconds(1))
          .getFirst();
  private static final Duration PATIENT = Duration.ofSeconds(30);
  private static final char[] PASSWORD = "changeit".toCharArray();

  @TempDir private Path secret = Path.of("/none");

  private static String keytool(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(arguments));
    Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(keytool.waitFor()).as(said).isZero();
    return said;
  }

  private static SSLContext withKeys(Path store) throws IOException, GeneralSecurityException {
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(KeyStore.getInstance(store.toFile(), PASSWORD), PASSWORD);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return context;
  }

  /** The image trusts no authority by itself; those of the Secret come and go while it runs. */
  @Test
  void shouldTrustTheAuthorityThatTheSecretHas(@TempDir Path folder)
      throws IOException, InterruptedException, GeneralSecurityException {
    String store = folder.resolve("keys.p12").toString();
    String[] opened = {"-keystore", store, "-storepass", new String(PASSWORD), "-alias", "a"};
    keytool(
        Stream.concat(
                Stream.of("-genkeypair", "-keyalg", "EC", "-dname", "CN=receiver"),
                Stream.concat(Stream.of("-ext", "SAN=IP:127.0.0.1"), Stream.of(opened)))
            .toArray(String[]::new));
    String certificate =
        keytool(
            Stream.concat(Stream.of("-exportcert", "-rfc"), Stream.of(opened))
                .toArray(String[]::new));
    HttpsServer secure =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    secure.setHttpsConfigurator(new HttpsConfigurator(withKeys(Path.of(store))));
    secure.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    secure.start();
    String url = "https://127.0.0.1:" + secure.getAddress().getPort();
    Webhook webhook = new Webhook("ops", url, secret, Format.SLACK, NotificationType.USUAL);
    try (HttpSender sender = new HttpSender("", () -> NOW, PATIENT)) {
      assertThat(sender.send(webhook, NOTIFICATION)).isInstanceOf(Unavailable.class);
      Files.writeString(secret.resolve("ca.crt"), certificate);
      assertThat(sender.send(webhook, NOTIFICATION)).isEqualTo(new Delivered());
      Files.writeString(secret.resolve("ca.crt"), "none");
      Files.setLastModifiedTime(secret.resolve("ca.crt"), FileTime.from(NOW));
      assertThat(sender.send(webhook, NOTIFICATION)).isNotEqualTo(new Delivered());
    } finally {
      secure.stop(0);
    }
  }
}
