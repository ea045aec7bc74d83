package dev.rekindle.controller.notification;

import dev.rekindle.controller.notification.Answer.Unavailable;
import dev.rekindle.logging.LogKey;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends the notifications that are due to one webhook, one after another. */
public final class DeliveryLoop {
  private static final Logger LOG = LoggerFactory.getLogger(DeliveryLoop.class);

  /** Between two checks of an empty outbox. */
  private static final Duration IDLE = Duration.ofMillis(500);

  private final Webhook webhook;
  private final Outbox outbox;
  private final Sender sender;
  private final NotificationMetrics metrics;

  DeliveryLoop(Webhook webhook, Outbox outbox, Sender sender, NotificationMetrics metrics) {
    this.webhook = webhook;
    this.outbox = outbox;
    this.sender = sender;
    this.metrics = metrics;
  }

  /** The webhook that it sends to. */
  public Webhook webhook() {
    return webhook;
  }

  /**
   * Sends one notification if one may be sent.
   *
   * @return how long to wait before the next step
   */
  public Duration step() {
    Optional<Notification> next = outbox.next();
    if (next.isEmpty()) {
      return IDLE;
    }
    int before = outbox.failures();
    Answer answer = send(next.get());
    outbox.answered(next.get(), answer);
    metrics.answered(webhook.name(), answer);
    log(next.get(), answer, before);
    return Duration.ZERO;
  }

  /** One of which no message can be made comes last: newer ones must not wait for it. */
  private Answer send(Notification notification) {
    try {
      return sender.send(webhook, notification);
    } catch (RuntimeException | Error failed) {
      LOG.atError()
          .addKeyValue(LogKey.WEBHOOK.key(), webhook.name())
          .addKeyValue(LogKey.OBJECT.key(), notification.id())
          .addKeyValue(LogKey.ERROR.key(), failed.toString())
          .log("Notification not sent: it cannot be put into words");
      return new Answer.Refused(0);
    }
  }

  private void log(Notification notification, Answer answer, int before) {
    switch (answer) {
      case Answer.Delivered _ -> {
        if (before > 0) {
          LOG.atInfo()
              .addKeyValue(LogKey.WEBHOOK.key(), webhook.name())
              .addKeyValue(LogKey.TIMES.key(), before)
              .log("Webhook takes notifications again");
        }
      }
      case Answer.Refused(int status) ->
          LOG.atWarn()
              .addKeyValue(LogKey.WEBHOOK.key(), webhook.name())
              .addKeyValue(LogKey.OBJECT.key(), notification.id())
              .addKeyValue(LogKey.STATUS.key(), status)
              .log("Webhook refused a notification");
      case Unavailable(Answer.Trouble trouble, int status, String detail, _) ->
          LOG.atWarn()
              .addKeyValue(LogKey.WEBHOOK.key(), webhook.name())
              .addKeyValue(LogKey.REASON.key(), trouble.word())
              .addKeyValue(LogKey.STATUS.key(), status)
              .addKeyValue(LogKey.DETAIL.key(), detail)
              .addKeyValue(LogKey.TIMES.key(), before + 1)
              .log("Webhook not available");
    }
  }
}
