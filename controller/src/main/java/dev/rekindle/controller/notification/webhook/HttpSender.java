package dev.rekindle.controller.notification.webhook;

import dev.rekindle.controller.notification.Answer;
import dev.rekindle.controller.notification.Answer.Trouble;
import dev.rekindle.controller.notification.Answer.Unavailable;
import dev.rekindle.controller.notification.Notification;
import dev.rekindle.controller.notification.NotificationSettings;
import dev.rekindle.controller.notification.Sender;
import dev.rekindle.controller.notification.Webhook;
import dev.rekindle.controller.notification.Webhook.Format;
import io.github.resilience4j.timelimiter.TimeLimiter;
import io.github.resilience4j.timelimiter.TimeLimiterConfig;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/**
 * Posts notifications. A receiver may be slow, broken or hostile: a try ends within a time limit,
 * redirects are not followed, and of a response only the status and {@code Retry-After} are read.
 */
public final class HttpSender implements Sender, AutoCloseable {
  private final Clients clients = new Clients();
  private final TimeLimiter limiter;
  private final InstantSource clock;
  private final CloudEventBody cloudEvents;
  private final SlackBody slack;

  /**
   * @param cluster how receivers distinguish clusters; empty where there is one
   * @param clock gives the time of a signature
   * @param limit for one try, from the name lookup to the status of the response
   */
  public HttpSender(String cluster, InstantSource clock, Duration limit) {
    this.clock = clock;
    this.cloudEvents = new CloudEventBody(cluster);
    this.slack = new SlackBody(cluster);
    this.limiter =
        TimeLimiter.of(
            TimeLimiterConfig.custom().timeoutDuration(limit).cancelRunningFuture(true).build());
  }

  @Override
  public Answer send(Webhook webhook, Notification notification) {
    return send(
        webhook,
        notification.id(),
        webhook.format() == Format.CLOUDEVENTS
            ? cloudEvents.of(notification)
            : slack.of(notification));
  }

  /** Sends what says of itself that it is a test, once, in the way of every notification. */
  public Answer test(Webhook webhook) {
    Instant now = clock.instant();
    String id = TestEvent.id(now);
    return send(
        webhook,
        id,
        webhook.format() == Format.CLOUDEVENTS ? cloudEvents.test(id, now) : slack.test());
  }

  private Answer send(Webhook webhook, String id, byte[] body) {
    HttpRequest request;
    HttpClient client;
    try {
      request = request(webhook, id, body);
      client = clients.of(webhook.secret());
    } catch (IllegalArgumentException wrong) {
      return failed(Trouble.NOT_CONFIGURED, String.valueOf(wrong.getMessage()));
    } catch (IOException unread) {
      return failed(Trouble.NOT_CONFIGURED, "the secret cannot be read");
    }
    return post(client, request);
  }

  private HttpRequest request(Webhook webhook, String id, byte[] body) throws IOException {
    SecretFiles secret = new SecretFiles(webhook.secret());
    boolean event = webhook.format() == Format.CLOUDEVENTS;
    Instant now = clock.instant();
    HttpRequest.Builder request =
        HttpRequest.newBuilder(url(webhook, secret))
            .header("Content-Type", event ? CloudEventBody.CONTENT_TYPE : SlackBody.CONTENT_TYPE)
            .header("User-Agent", "rekindle")
            .header("webhook-id", id)
            .header("webhook-timestamp", Long.toString(now.getEpochSecond()))
            .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    Optional<SigningKeys> keys = secret.keys();
    if (event && keys.isEmpty()) {
      throw new IllegalArgumentException("the Secret has no key 'secret' to sign with");
    }
    keys.ifPresent(k -> request.header("webhook-signature", k.sign(id, now, body)));
    return request.build();
  }

  /** A reason quotes no URL: that of Slack is a credential. */
  private static URI url(Webhook webhook, SecretFiles secret) throws IOException {
    String url =
        webhook.url().isEmpty()
            ? secret
                .url()
                .orElseThrow(
                    () ->
                        new IllegalArgumentException(
                            "there is no url, neither in the values nor in the Secret"))
            : webhook.url();
    if (!NotificationSettings.isHttp(url)) {
      throw new IllegalArgumentException("the url in the Secret is none of http or https");
    }
    return URI.create(url);
  }

  private Answer post(HttpClient client, HttpRequest request) {
    try {
      HttpResponse<InputStream> response =
          limiter.executeFutureSupplier(
              () -> client.sendAsync(request, HttpResponse.BodyHandlers.ofInputStream()));
      // Unread: a receiver has nothing to say, and may say it without end.
      try (InputStream _ = response.body()) {
        return StatusAnswer.of(
            response.statusCode(), response.headers().firstValue("Retry-After"), clock.instant());
      }
    } catch (TimeoutException late) {
      return failed(Trouble.TIMEOUT, "");
    } catch (InterruptedException asked) {
      Thread.currentThread().interrupt();
      return failed(Trouble.NO_ANSWER, "the controller ends");
    } catch (Exception failed) {
      // Only its class: a message may quote what the receiver sent.
      return failed(Trouble.NO_ANSWER, failed.getClass().getSimpleName());
    }
  }

  private static Answer failed(Trouble trouble, String detail) {
    return new Unavailable(trouble, 0, detail, Duration.ZERO);
  }

  /** Ends every try that is under way. */
  @Override
  public void close() {
    clients.close();
  }
}
