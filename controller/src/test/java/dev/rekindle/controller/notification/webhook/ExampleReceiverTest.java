package dev.rekindle.controller.notification.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.notification.Answer;
import dev.rekindle.controller.notification.Answer.Delivered;
import dev.rekindle.controller.notification.Answer.Unavailable;
import dev.rekindle.controller.notification.Notification;
import dev.rekindle.controller.notification.NotificationType;
import dev.rekindle.controller.notification.RecoveryNotifications;
import dev.rekindle.controller.notification.Stories;
import dev.rekindle.controller.notification.Webhook;
import dev.rekindle.controller.notification.Webhook.Format;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The receiver of the examples, which checks signatures with a code of its own. */
@Timeout(60)
class ExampleReceiverTest {
  private static final Path PROGRAM = Path.of("..", "examples", "notifications", "receiver.py");
  private static final String KEY = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  private static final List<Notification> STORY =
      RecoveryNotifications.of(
          Stories.of("r", RecoveryPhase.DETECTED, RecoveryPhase.RECOVERED),
          Given.T0.minusSeconds(1));

  @TempDir private Path secret = Path.of("/none");

  @Test
  void shouldTakeEachOnceAndNothingOfAnotherKey() throws IOException {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/python3")));
    ProcessBuilder builder =
        new ProcessBuilder("/usr/bin/python3", PROGRAM.toString(), "--port", "0")
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put("WEBHOOK_SECRET", KEY);
    Process receiver = builder.start();
    try (BufferedReader out = receiver.inputReader(StandardCharsets.UTF_8);
        HttpSender sender =
            new HttpSender("west", InstantSource.system(), Duration.ofSeconds(30))) {
      String url = "http://127.0.0.1:" + out.readLine().replace("listening on port ", "");
      Webhook webhook = new Webhook("ops", url, secret, Format.CLOUDEVENTS, NotificationType.USUAL);

      Files.writeString(secret.resolve("secret"), KEY.replace('M', 'N'));
      assertThat(sender.send(webhook, STORY.getFirst()))
          .isInstanceOfSatisfying(
              Unavailable.class, u -> assertThat(u.trouble()).isEqualTo(Answer.Trouble.DENIED));
      Files.writeString(secret.resolve("secret"), KEY.replace('M', 'N') + "\n" + KEY);
      assertThat(List.of(0, 0, 1))
          .allSatisfy(
              i -> assertThat(sender.send(webhook, STORY.get(i))).isEqualTo(new Delivered()));

      assertThat(out.readLine()).contains("dev.rekindle.recovery.opened.v1 team/r");
      assertThat(out.readLine()).contains("dev.rekindle.recovery.recovered.v1 team/r");
    } finally {
      receiver.destroyForcibly();
    }
  }
}
