package dev.rekindle.controller.app;

import dev.rekindle.controller.notification.Answer;
import dev.rekindle.controller.notification.NotificationSettings;
import dev.rekindle.controller.notification.Webhook;
import dev.rekindle.controller.notification.webhook.HttpSender;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

/**
 * Role {@code notify-test} of the image: sends each webhook, or one, an event that says that it is
 * a test. Run in a pod of the controller it has that pod's network, keys and settings. Exit code 0:
 * all have taken it; 1: one has not, or there is none.
 */
public final class NotifyTestMain {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private NotifyTestMain() {}

  /**
   * Sends, prints what came of it, and ends the process.
   *
   * @param args name of the webhook; none for all
   */
  public static void main(String[] args) {
    int code =
        run(
            args.length == 0 ? "" : args[0],
            System.getenv(),
            ControllerConfig.SECRETS,
            InstantSource.system(),
            System.out);
    System.exit(code);
  }

  static int run(
      String name,
      Map<String, String> environment,
      Path secrets,
      InstantSource clock,
      PrintStream out) {
    NotificationSettings settings =
        NotificationSettings.parse(environment.getOrDefault("REKINDLE_NOTIFICATIONS", ""), secrets);
    settings.problems().forEach(problem -> out.println("FAILED   " + problem));
    List<Webhook> webhooks =
        settings.webhooks().stream().filter(w -> name.isEmpty() || w.name().equals(name)).toList();
    if (webhooks.isEmpty()) {
      out.println(
          name.isEmpty()
              ? "FAILED   there is no webhook: see notifications.webhooks of the chart"
              : "FAILED   there is no webhook of that name");
    }
    int taken = 0;
    try (var sender = new HttpSender(settings.cluster(), clock, LIMIT)) {
      for (Webhook webhook : webhooks) {
        Answer answer = sender.test(webhook);
        taken += answer instanceof Answer.Delivered ? 1 : 0;
        out.println(line(webhook.name(), answer));
      }
    }
    out.flush();
    return !webhooks.isEmpty() && taken == webhooks.size() && settings.problems().isEmpty() ? 0 : 1;
  }

  private static String line(String name, Answer answer) {
    return switch (answer) {
      case Answer.Delivered _ -> "ok       %s: taken".formatted(name);
      case Answer.Refused(int status) ->
          "FAILED   %s: refused with status %d".formatted(name, status);
      case Answer.Unavailable(var trouble, int status, String detail, _) ->
          "FAILED   %s: %s%s%s"
              .formatted(
                  name,
                  trouble.word(),
                  status == 0 ? "" : ", status " + status,
                  detail.isEmpty() ? "" : ", " + detail);
    };
  }
}
