package dev.rekindle.controller.notification;

import dev.rekindle.controller.notification.Answer.Trouble;
import dev.rekindle.controller.notification.Answer.Unavailable;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.List;

/** Metrics of notifications. The series of each configured webhook begin at 0. */
public final class NotificationMetrics {
  /** Why a notification was dropped: it was not delivered in the time for which it is kept. */
  static final String EXPIRED = "expired";

  /** Why a notification was dropped: its Recovery was deleted before it was delivered. */
  static final String GONE = "gone";

  private static final String REFUSED = "refused";

  private final Counter delivered;
  private final Counter failed;
  private final Counter dropped;
  private final Gauge waiting;
  private final Gauge oldest;

  /**
   * Registers the metrics.
   *
   * @param webhooks names of the webhooks
   */
  public NotificationMetrics(PrometheusRegistry registry, List<String> webhooks) {
    delivered =
        Counter.builder()
            .name("rekindle_notifications_delivered_total")
            .help("Notifications that a webhook accepted.")
            .labelNames("webhook")
            .register(registry);
    failed =
        Counter.builder()
            .name("rekindle_notification_attempts_failed_total")
            .help("Failed attempts to deliver a notification, by reason.")
            .labelNames("webhook", "reason")
            .register(registry);
    dropped =
        Counter.builder()
            .name("rekindle_notifications_dropped_total")
            .help("Notifications that were given up: expired, or their Recovery was deleted.")
            .labelNames("webhook", "reason")
            .register(registry);
    waiting =
        Gauge.builder()
            .name("rekindle_notifications_waiting")
            .help("Notifications that are due; 0 on a controller that does not lead.")
            .labelNames("webhook")
            .register(registry);
    oldest =
        Gauge.builder()
            .name("rekindle_notification_oldest_age_seconds")
            .help("How long the oldest due notification has been due; 0 if none is.")
            .labelNames("webhook")
            .register(registry);
    for (String webhook : webhooks) {
      delivered.initLabelValues(webhook);
      failed.initLabelValues(webhook, REFUSED);
      for (Trouble trouble : Trouble.values()) {
        failed.initLabelValues(webhook, trouble.word());
      }
      dropped.initLabelValues(webhook, EXPIRED);
      dropped.initLabelValues(webhook, GONE);
      waiting.initLabelValues(webhook);
      oldest.initLabelValues(webhook);
    }
  }

  void answered(String webhook, Answer answer) {
    switch (answer) {
      case Answer.Delivered _ -> delivered.labelValues(webhook).inc();
      case Answer.Refused _ -> failed.labelValues(webhook, REFUSED).inc();
      case Unavailable unavailable ->
          failed.labelValues(webhook, unavailable.trouble().word()).inc();
    }
  }

  void dropped(String webhook, String reason) {
    dropped.labelValues(webhook, reason).inc();
  }

  void owed(String webhook, int count, Duration age) {
    waiting.labelValues(webhook).set(count);
    oldest.labelValues(webhook).set(Math.max(0, age.toMillis() / 1000.0));
  }
}
