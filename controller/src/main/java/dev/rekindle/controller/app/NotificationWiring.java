package dev.rekindle.controller.app;

import dev.rekindle.controller.kubernetes.Circuits;
import dev.rekindle.controller.kubernetes.NotificationStore;
import dev.rekindle.controller.notification.Delivery;
import dev.rekindle.controller.notification.NotificationMetrics;
import dev.rekindle.controller.notification.NotificationSettings;
import dev.rekindle.controller.notification.Notifier;
import dev.rekindle.controller.notification.Webhook;
import dev.rekindle.controller.notification.webhook.HttpSender;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.controller.runtime.Backoff;
import dev.rekindle.detect.SteadyClock;
import dev.rekindle.logging.LogKey;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes what sends notifications. Without a webhook there is nothing of it, not even a thread. */
final class NotificationWiring {
  private static final Logger LOG = LoggerFactory.getLogger(NotificationWiring.class);
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

  /** For one try. */
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private NotificationWiring() {}

  static Optional<Delivery> delivery(
      ControllerConfig config,
      KubernetesClient client,
      Circuits circuits,
      ClusterState state,
      PrometheusRegistry registry) {
    NotificationSettings settings = config.notifications();
    settings
        .problems()
        .forEach(
            problem ->
                LOG.atError()
                    .addKeyValue(LogKey.REASON.key(), problem)
                    .log("Notifications are not as configured"));
    NotificationMetrics metrics =
        new NotificationMetrics(registry, settings.webhooks().stream().map(Webhook::name).toList());
    if (settings.webhooks().isEmpty()) {
      return Optional.empty();
    }
    Notifier notifier =
        new Notifier(
            settings,
            state,
            new NotificationStore(client, circuits, config.lease().namespace()),
            InstantSource.system(),
            SteadyClock.system(),
            new Backoff(FIRST_PAUSE, LONGEST_PAUSE, RandomGenerator.getDefault()),
            metrics);
    return Optional.of(
        new Delivery(notifier, new HttpSender(settings.cluster(), InstantSource.system(), LIMIT)));
  }
}
