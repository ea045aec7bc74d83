package dev.rekindle.controller.app;

import dev.rekindle.controller.notification.Answer;
import dev.rekindle.controller.notification.NotificationSettings;
import dev.rekindle.controller.notification.Webhook;
import dev.rekindle.controller.notification.webhook.HttpSender;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
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
   * @param args {@code --json} for one JSON object a line, and the name of the webhook, none for
   *     all
   */
  public static void main(String[] args) {
    int code =
        run(
            List.of(args),
            System.getenv(),
            ControllerConfig.SECRETS,
            InstantSource.system(),
            System.out);
    System.exit(code);
  }

  static int run(
      List<String> args,
      Map<String, String> environment,
      Path secrets,
      InstantSource clock,
      PrintStream out) {
    boolean json = args.contains(NotifyTestResult.JSON);
    String name =
        args.stream().filter(a -> !a.equals(NotifyTestResult.JSON)).findFirst().orElse("");
    NotificationSettings settings =
        NotificationSettings.parse(environment.getOrDefault("REKINDLE_NOTIFICATIONS", ""), secrets);
    List<NotifyTestResult> results = new ArrayList<>();
    settings.problems().forEach(problem -> results.add(NotifyTestResult.failed("", problem)));
    List<Webhook> webhooks =
        settings.webhooks().stream().filter(w -> name.isEmpty() || w.name().equals(name)).toList();
    if (webhooks.isEmpty()) {
      results.add(
          NotifyTestResult.failed(
              name,
              name.isEmpty()
                  ? "there is no webhook: see notifications.webhooks of the chart"
                  : "there is no webhook of that name"));
    }
    results.forEach(result -> print(result, json, out));
    try (var sender = new HttpSender(settings.cluster(), clock, LIMIT)) {
      for (Webhook webhook : webhooks) {
        NotifyTestResult result = result(webhook.name(), sender.test(webhook));
        results.add(result);
        print(result, json, out);
      }
    }
    return results.stream().allMatch(NotifyTestResult::taken) ? 0 : 1;
  }

  /** At once: the next receiver may take ten seconds. */
  private static void print(NotifyTestResult result, boolean json, PrintStream out) {
    out.println(json ? result.json() : result.text());
    out.flush();
  }

  private static NotifyTestResult result(String name, Answer answer) {
    return switch (answer) {
      case Answer.Delivered _ -> new NotifyTestResult(name, true, "taken");
      case Answer.Refused(int status) ->
          NotifyTestResult.failed(name, "refused with status " + status);
      case Answer.Unavailable(var trouble, int status, String detail, _) ->
          NotifyTestResult.failed(
              name,
              trouble.word()
                  + (status == 0 ? "" : ", status " + status)
                  + (detail.isEmpty() ? "" : ", " + detail));
    };
  }
}
